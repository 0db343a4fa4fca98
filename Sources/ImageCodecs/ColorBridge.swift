import CColor
import ImageModel

/// The only file that imports `CColor`, and through it to Little CMS.
enum ColorBridge {
  /// Whether a profile describes the samples of images that are not of inks: one of RGB does, and
  /// one of gray for a gray image. Source: ICC.1:2022 §7.2.6, the data colour space.
  static func fits(_ profile: [UInt8], _ model: ImageInfo.ColorModel) -> Bool {
    let space = String(decoding: profile.dropFirst(16).prefix(4), as: UTF8.self)
    return space == "RGB " || model == .gray && space == "GRAY"
  }

  /// Converts an image from a profile to sRGB.
  ///
  /// - Parameter model: What the samples were in the file.
  /// - Returns: Whether the profile could be used; else the image is unchanged.
  static func convertToSRGB(
    _ pixels: inout PixelBuffer, from profile: [UInt8], of model: ImageInfo.ColorModel
  ) -> Bool {
    fits(profile, model) && convert(&pixels, from: profile, imgcolor_to_srgb)
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
