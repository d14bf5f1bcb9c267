//! A server with TLS. Its certificate is for `secure.example`, by an authority that only these
//! tests trust and whose key nobody has; its own key is worth nothing.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::servers::{Received, Server};

pub(crate) fn authority() -> reqwest::Certificate {
    reqwest::Certificate::from_pem(include_bytes!("tls/ca.pem")).unwrap()
}

pub(crate) fn start(answer: impl Fn(&Received, &mut dyn Write) + Send + Sync + 'static) -> Server {
    host::http::use_ring();
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/cert.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key).unwrap());
    let wrap = move |stream: TcpStream| {
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        StreamOwned::new(connection, stream)
    };
    Server::wrapped("127.0.0.1:0", answer, wrap)
}
