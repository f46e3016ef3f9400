//! Pictures of the window as PNG files.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use macroquad::texture::{Image, get_screen_data};

use crate::error::{Error, Result};

/// Writes what has been drawn in this frame to a PNG file.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn save(path: &Path) -> Result<()> {
    encode(&get_screen_data(), path).map_err(|reason| Error::write(path, reason))
}

fn encode(image: &Image, path: &Path) -> std::result::Result<(), png::EncodingError> {
    let (width, height) = (usize::from(image.width), usize::from(image.height));
    // The frame buffer's rows run upwards, and its opacity means nothing.
    let rows = image.bytes.chunks_exact(4 * width.max(1)).rev();
    let rgb: Vec<u8> =
        rows.flat_map(|row| row.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]])).collect();
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(path)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // The sky is a slow gradient: rows told by their difference take half the bytes.
    encoder.set_compression(png::Compression::Best);
    encoder.set_filter(png::FilterType::Paeth);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(())
}

/// A name in the current folder that no file has yet: `sinew-1.png`, `sinew-2.png`, …
pub(crate) fn free_name() -> PathBuf {
    (1..u32::MAX)
        .map(|i| PathBuf::from(format!("sinew-{i}.png")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| PathBuf::from("sinew.png"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_turned_upright_and_bad_paths_are_errors() {
        let image = Image { width: 1, height: 2, bytes: vec![1, 2, 3, 0, 4, 5, 6, 0] };
        let path = std::env::temp_dir().join(format!("sinew-picture-{}.png", std::process::id()));
        encode(&image, &path).unwrap();
        let mut reader = png::Decoder::new(File::open(&path).unwrap()).read_info().unwrap();
        let mut pixels = [0; 6];
        reader.next_frame(&mut pixels).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(pixels, [4, 5, 6, 1, 2, 3]);
        assert!(encode(&image, Path::new("/no/such/folder/a.png")).is_err());
    }
}
