import CColor
import ImageModel

/// The only file that imports `CColor`, and through it to Little CMS.
enum ColorBridge {
  /// Converts an image from a profile to sRGB.
  ///
  /// - Returns: Whether the profile could be used; else the image is unchanged.
  static func convertToSRGB(_ pixels: inout PixelBuffer, from profile: [UInt8]) -> Bool {
    let count = pixels.size.pixelCount
    return pixels.withMutableBytes { raw in
      profile.withUnsafeBufferPointer { icc in
        guard let room = raw.baseAddress, let icc = icc.baseAddress else { return false }
        let status = imgcolor_to_srgb(
          icc, profile.count, room.assumingMemoryBound(to: UInt8.self), count)
        return switch status {
        case .ok: true
        case .profile: false
        }
      }
    }
  }
}
