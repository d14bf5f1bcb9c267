//! Which file systems a store may stand on. Those of other machines do not keep locks and shared
//! memory apart as SQLite needs it.

use std::path::Path;

use crate::StoreError;

/// Types of file systems behind which there is another machine.
const NETWORK: &[&str] = &[
    "9p",
    "acfs",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse.afs",
    "fuse.ceph",
    "fuse.cephfs",
    "fuse.curlftpfs",
    "fuse.davfs2",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.goofys",
    "fuse.juicefs",
    "fuse.mfs",
    "fuse.moosefs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs3",
    "nfs4",
    "orangefs",
    "pvfs2",
    "smb",
    "smb2",
    "smb3",
    "smbfs",
];

/// Refuses a path on a file system of another machine, as far as the system tells.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mountinfo") else { return Ok(()) };
    match type_of(&mounts, path) {
        Some(name) if NETWORK.contains(&name) => Err(StoreError::Unusable(format!(
            "`{}` is on a network file system (`{name}`), where a store would not be safe",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The type of the file system that a path is on, by the text of `/proc/self/mountinfo`.
fn type_of<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let mounts = mounts.lines().filter_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let at = unescape(mount.split(' ').nth(4)?);
        path.starts_with(&at).then_some((at.len(), system.split(' ').next()?))
    });
    // Of two at the same place the later one is above the other.
    mounts.max_by_key(|(length, _)| *length).map(|(_, name)| name)
}

/// Spaces and such are written as a backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.get(..3).map(|digits| u8::from_str_radix(digits, 8)) {
            Some(Ok(byte)) => {
                out.push(char::from(byte));
                out.push_str(&part[3..]);
            }
            _ => {
                out.push('\\');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /srv rw - nfs4 server:/srv rw,vers=4.2
31 30 8:2 / /srv/mine rw master:1 - ext4 /dev/sdb1 rw
32 22 0:41 / /mnt/my\\040files rw - cifs //server/files rw
33 22 0:42 / /data rw - ext4 /dev/sdc1 rw
34 22 0:43 / /data rw - fuse.sshfs host:/data rw
";

    #[test]
    fn the_nearest_mount_above_a_path_decides() {
        for (path, expected) in [
            ("/var/store.quipu", "ext4"),
            ("/srv/yours/store.quipu", "nfs4"),
            ("/srv/mine/store.quipu", "ext4"),
            ("/srvice/store.quipu", "ext4"),
            ("/mnt/my files/store.quipu", "cifs"),
            ("/data/store.quipu", "fuse.sshfs"),
        ] {
            assert_eq!(type_of(MOUNTS, Path::new(path)), Some(expected), "{path}");
        }
    }

    #[test]
    fn a_text_that_tells_nothing_forbids_nothing() {
        assert_eq!(type_of("", Path::new("/a")), None);
        assert_eq!(type_of("1 2 3\n- -\n", Path::new("/a")), None);
    }

    #[test]
    fn names_of_network_file_systems_stand_in_order_and_once() {
        assert!(NETWORK.is_sorted_by(|a, b| a < b));
    }
}
