import CColor
import ImageModel

/// The only file that imports `CColor`, and through it to Little CMS.
enum ColorBridge {
  /// Converts an image from a profile to sRGB.
  ///
  /// - Returns: Whether the profile could be used; else the image is unchanged.
  static func convertToSRGB(_ pixels: inout PixelBuffer, from profile: [UInt8]) -> Bool {
    convert(&pixels, from: profile, imgcolor_to_srgb)
  }

  /// Converts the four inks of each pixel, 255 being all of an ink, to opaque sRGB.
  ///
  /// - Returns: Whether the profile could be used; else the inks are unchanged.
  static func convertInksToSRGB(_ pixels: inout PixelBuffer, from profile: [UInt8]) -> Bool {
    convert(&pixels, from: profile, imgcolor_inks_to_srgb)
  }

  private static func convert(
    _ pixels: inout PixelBuffer, from profile: [UInt8],
    _ body: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, Int) -> imgcolor_status
  ) -> Bool {
    let count = pixels.size.pixelCount
    return pixels.withMutableBytes { raw in
      profile.withUnsafeBufferPointer { icc in
        guard let room = raw.baseAddress, let icc = icc.baseAddress else { return false }
        let status = body(icc, profile.count, room.assumingMemoryBound(to: UInt8.self), count)
        return switch status {
        case .ok: true
        case .profile: false
        }
      }
    }
  }
}
