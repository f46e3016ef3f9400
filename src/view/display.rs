//! Whether there is a display to open a window on.
//!
//! The window library panics where it finds none, so this looks first: on Linux, whether the X
//! server that `DISPLAY` names lets this user in (it may be there and refuse), or else whether the
//! Wayland compositor that `WAYLAND_DISPLAY` names accepts a connection. Elsewhere a display is
//! taken for granted.

#[cfg(target_os = "linux")]
use std::sync::OnceLock;

use macroquad::miniquad::conf::LinuxBackend;
#[cfg(target_os = "linux")]
use x11rb::rust_connection::RustConnection;

/// The way to reach the display.
///
/// # Errors
/// In one line, why there is none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn find() -> Result<LinuxBackend, String> {
    Ok(LinuxBackend::default())
}

/// The way to reach the display.
///
/// # Errors
/// In one line, why there is none.
#[cfg(target_os = "linux")]
pub(crate) fn find() -> Result<LinuxBackend, String> {
    // Kept open for good: a virtual X server starts afresh when its last client leaves, and would
    // lose the window library's connection if that came in the same moment.
    static CONNECTION: OnceLock<RustConnection> = OnceLock::new();
    if CONNECTION.get().is_some() {
        return Ok(LinuxBackend::X11Only);
    }
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut obstacles = Vec::new();
    if let Some(name) = variable("DISPLAY") {
        match x11rb::connect(Some(&name)) {
            Ok((connection, _)) => {
                CONNECTION.get_or_init(|| connection);
                return Ok(LinuxBackend::X11Only);
            }
            Err(reason) => obstacles.push(format!("DISPLAY={name}: {reason}")),
        }
    }
    if let Some(name) = variable("WAYLAND_DISPLAY") {
        match std::os::unix::net::UnixStream::connect(wayland_socket(&name)) {
            Ok(_) => return Ok(LinuxBackend::WaylandOnly),
            Err(reason) => obstacles.push(format!("WAYLAND_DISPLAY={name}: {reason}")),
        }
    }
    if obstacles.is_empty() {
        return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned());
    }
    // A server may explain itself over several lines.
    Err(obstacles.join("; ").split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Where the compositor of this name listens: a path, or a file in the user's runtime folder.
#[cfg(target_os = "linux")]
fn wayland_socket(name: &str) -> std::path::PathBuf {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
    // An absolute name replaces the folder.
    std::path::Path::new(&folder).join(name)
}
