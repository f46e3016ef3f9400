//! A virtual display, the program on it, and hands and eyes for the test: keys and the mouse are
//! pressed through the XTEST extension, pictures are read back from the root window.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConnectionExt, EventMask,
    ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Size of the virtual screen, and of the window when it opens.
pub(crate) const SIZE: (u16, u16) = (1280, 800);
/// How long anything may take on a busy machine that draws without a graphics card.
const PATIENCE: Duration = Duration::from_secs(60);

/// A virtual display with a connection to it.
pub(crate) struct Screen {
    server: Child,
    name: String,
    connection: RustConnection,
    root: u32,
}

impl Screen {
    /// Starts a virtual display, or says why that is not possible and gives `None`. Where
    /// `SINEW_WINDOW_TEST=required`, not being able to is a failure.
    pub(crate) fn start() -> Option<Self> {
        let required = std::env::var_os("SINEW_WINDOW_TEST").is_some_and(|v| v == "required");
        let (width, height) = SIZE;
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"])
            .arg(format!("{width}x{height}x24"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = match server {
            Ok(server) => server,
            Err(error) => {
                assert!(!required, "SINEW_WINDOW_TEST=required, but Xvfb cannot start: {error}");
                eprintln!("skipped: Xvfb cannot start ({error}); install it to test the window");
                return None;
            }
        };
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let name = format!(":{}", number.trim());
        let (connection, screen) = x11rb::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[screen].root;
        Some(Self { server, name, connection, root })
    }

    /// Starts the program with these arguments on this display.
    pub(crate) fn run(&self, arguments: &[&str]) -> Program {
        let child = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(arguments)
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Program(child)
    }

    /// What is on the screen now.
    pub(crate) fn look(&self) -> Picture {
        let (width, height) = SIZE;
        let format = ImageFormat::Z_PIXMAP;
        let cookie = self.connection.get_image(format, self.root, 0, 0, width, height, !0).unwrap();
        let data = cookie.reply().unwrap().data;
        Picture { pixels: data.chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect() }
    }

    /// Looks until what is seen satisfies `expected`.
    pub(crate) fn wait_for(&self, what: &str, expected: impl Fn(&Picture) -> bool) -> Picture {
        let start = Instant::now();
        loop {
            let picture = self.look();
            if expected(&picture) {
                return picture;
            }
            assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain: {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn fake(&self, event: u8, detail: u8, (x, y): (i16, i16)) {
        self.connection.xtest_fake_input(event, detail, 0, self.root, x, y, 0).unwrap();
        self.connection.flush().unwrap();
        // Longer than a frame takes without a graphics card would be too long to wait each time;
        // this is enough for the server to pass events on in order.
        std::thread::sleep(Duration::from_millis(30));
    }

    /// Presses and releases the key with this X key symbol.
    pub(crate) fn press(&self, symbol: u32) {
        let code = self.key(symbol);
        self.fake(KEY_PRESS_EVENT, code, (0, 0));
        self.fake(KEY_RELEASE_EVENT, code, (0, 0));
    }

    /// Holds a key down.
    pub(crate) fn hold(&self, symbol: u32) {
        self.fake(KEY_PRESS_EVENT, self.key(symbol), (0, 0));
    }

    /// Lets a key go up.
    pub(crate) fn let_go(&self, symbol: u32) {
        self.fake(KEY_RELEASE_EVENT, self.key(symbol), (0, 0));
    }

    /// Presses and releases a key while another one is held.
    pub(crate) fn chord(&self, held: u32, symbol: u32) {
        let held = self.key(held);
        self.fake(KEY_PRESS_EVENT, held, (0, 0));
        self.press(symbol);
        self.fake(KEY_RELEASE_EVENT, held, (0, 0));
    }

    /// The code of the key with this X key symbol.
    fn key(&self, symbol: u32) -> u8 {
        let setup = self.connection.setup();
        let (low, high) = (setup.min_keycode, setup.max_keycode);
        let cookie = self.connection.get_keyboard_mapping(low, high - low + 1).unwrap();
        let mapping = cookie.reply().unwrap();
        let width = usize::from(mapping.keysyms_per_keycode);
        let row = mapping.keysyms.chunks(width).position(|row| row.contains(&symbol));
        low + u8::try_from(row.expect("the keyboard has the key")).unwrap()
    }

    /// Moves the mouse.
    pub(crate) fn point(&self, at: (i16, i16)) {
        self.fake(MOTION_NOTIFY_EVENT, 0, at);
    }

    /// Presses the left button, moves, and releases it.
    pub(crate) fn drag(&self, from: (i16, i16), to: (i16, i16)) {
        self.point(from);
        self.fake(BUTTON_PRESS_EVENT, 1, (0, 0));
        std::thread::sleep(Duration::from_millis(300));
        self.point(to);
        std::thread::sleep(Duration::from_millis(300));
        self.fake(BUTTON_RELEASE_EVENT, 1, (0, 0));
    }

    /// Asks the window to close, as the desktop does when its button is clicked.
    pub(crate) fn close_window(&self) {
        let atom =
            |name: &[u8]| self.connection.intern_atom(false, name).unwrap().reply().unwrap().atom;
        let (protocols, close) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let tree = self.connection.query_tree(self.root).unwrap().reply().unwrap();
        for window in tree.children {
            let event = ClientMessageEvent::new(32, window, protocols, [close, 0, 0, 0, 0]);
            let send = self.connection.send_event(false, window, EventMask::NO_EVENT, event);
            send.unwrap();
        }
        self.connection.flush().unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The server may be gone already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The running program; it does not outlive the test.
pub(crate) struct Program(Child);

impl Program {
    /// Waits until it ends; gives its exit status and what it wrote to stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                let stderr = self.0.stderr.take().unwrap();
                return (status, std::io::read_to_string(stderr).unwrap());
            }
            assert!(start.elapsed() < PATIENCE, "the program does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether it is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A picture of the screen.
pub(crate) struct Picture {
    pixels: Vec<[u8; 3]>,
}

/// A part of the screen: left, top, right, bottom.
pub(crate) type Region = (usize, usize, usize, usize);

impl Picture {
    fn part(&self, (left, top, right, bottom): Region) -> impl Iterator<Item = [u8; 3]> + '_ {
        let rows = self.pixels.chunks(usize::from(SIZE.0)).take(bottom).skip(top);
        rows.flat_map(move |row| row[left..right].iter().copied())
    }

    /// How many different colours there are.
    pub(crate) fn colors(&self) -> usize {
        let mut colors = self.pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }

    /// The share of pixels of a region that look different in another picture.
    pub(crate) fn difference(&self, other: &Self, region: Region) -> f64 {
        let differs = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 12);
        let pairs = self.part(region).zip(other.part(region));
        let (all, different) = pairs.fold((0, 0), |(all, different), (a, b)| {
            (all + 1, different + u32::from(differs(a, b)))
        });
        f64::from(different) / f64::from(all)
    }

    /// How much of a region is of the red that mistakes are shown in.
    pub(crate) fn red(&self, region: Region) -> usize {
        self.part(region).filter(|&[r, g, b]| r > 210 && (90..130).contains(&g) && b < 120).count()
    }

    /// How much of a region is nearly of one colour.
    pub(crate) fn near(&self, color: [u8; 3], region: Region) -> usize {
        let is_near = |p: &[u8; 3]| p.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 24);
        self.part(region).filter(is_near).count()
    }

    /// Where a region is strongly orange, as the name of the solver and the sliders are.
    pub(crate) fn orange(&self, region: Region) -> Vec<bool> {
        self.part(region).map(|[r, g, b]| r > 180 && g > 100 && g < 200 && b < 110).collect()
    }
}

/// A file name in the folder for temporary files that only this test run uses.
pub(crate) fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("sinew-window-test-{}-{name}", std::process::id()))
}
