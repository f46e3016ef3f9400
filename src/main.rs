//! The `sinew` program: hands its arguments to the command line of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinew::cli::main(std::env::args_os())
}
