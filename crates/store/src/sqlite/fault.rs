//! What SQLite says went wrong, in words of ours.

use rusqlite::{Error, ErrorCode};

use crate::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> StoreError {
        match &error {
            Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DatabaseCorrupt => StoreError::Damaged(error.to_string().into()),
                ErrorCode::NotADatabase => StoreError::Unusable(error.to_string()),
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed => {
                    StoreError::Busy("another process holds the store".into())
                }
                ErrorCode::DiskFull => StoreError::Full,
                // Our questions are right, so that a table or a column is missing.
                ErrorCode::Unknown => StoreError::Damaged(error.to_string().into()),
                _ => StoreError::System(error.into()),
            },
            // The tables are strict, so that only damage puts something else into a column.
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => StoreError::Damaged(error.to_string().into()),
            _ => StoreError::System(error.into()),
        }
    }
}

/// Whether it is unknown what is on the disk after this.
pub(super) fn leaves_doubt(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
}

/// Whether there was no room. Nothing is in doubt then: SQLite reports this for writes only, and
/// what a transaction wrote counts for nothing without its last page.
pub(super) fn is_full(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}
