import CImageColor
import ImageModel

/// Colours by Little CMS.
enum ColorBridge {
  /// Makes an ICC profile of colours that are described by numbers; `nil` where they make no sense.
  static func profile(of numbers: ColorNumbers) -> [UInt8]? {
    var description = imgcolor_description()
    description.primaries = numbers.primaries
    description.transfer = numbers.transfer
    description.gamma = numbers.gamma
    withUnsafeMutableBytes(of: &description.chromaticities) { raw in
      for (room, value) in zip(raw.bindMemory(to: Double.self).indices, numbers.chromaticities) {
        raw.bindMemory(to: Double.self)[room] = value
      }
    }
    // Curves by numbers take half a kilobyte, those by tables eight.
    let profile = [UInt8](unsafeUninitializedCapacity: 16 << 10) { room, count in
      let size = room.baseAddress.map { imgcolor_profile_make(description, $0, room.count) } ?? 0
      count = size <= room.count ? size : 0
    }
    return profile.isEmpty ? nil : profile
  }
}

struct ColorNumbers: Hashable, Sendable {
  /// Code points of ITU-T H.273; 0 for none.
  var primaries: UInt8 = 0
  var transfer: UInt8 = 0
  /// The exponent from light to samples; 0 for the curve of sRGB.
  var gamma = 0.0
  /// x and y of white, red, green and blue; all 0 for those of sRGB.
  var chromaticities = [Double](repeating: 0, count: 8)

  /// Whether the colours are those of sRGB for want of numbers.
  var isEmpty: Bool { self == ColorNumbers() }
}

/// A conversion of colours to sRGB by a profile; any thread may use it.
final class ColorTransform: Sendable {
  /// Transforms of the profiles that were used last, at most 16.
  final class Recent: Sendable {
    static let shared = Recent()

    /// Its transform is `nil` for a profile of sRGB.
    private struct Known {
      let profile: [UInt8]
      let device: imgcolor_device
      let result: Result<ColorTransform?, Unusable>
    }

    private static let maximumCount = 16
    private let known = Locked<[Known]>([])

    fileprivate func result(
      _ profile: [UInt8], _ device: imgcolor_device
    ) -> Result<ColorTransform?, Unusable> {
      let found = known.withLock { known -> Known? in
        guard let index = known.firstIndex(where: { $0.device == device && $0.profile == profile })
        else { return nil }
        // The one that was used last is at the end.
        known.append(known.remove(at: index))
        return known.last
      }
      if let found { return found.result }
      let result = ColorTransform.make(profile, device)
      known.withLock { known in
        if known.count >= Self.maximumCount { known.removeFirst() }
        known.append(Known(profile: profile, device: device, result: result))
      }
      return result
    }
  }

  /// Those of printing presses have one to three megabytes.
  private static let maximumProfileByteCount = 4 << 20

  /// The profile cannot be read, is of another colour model, or too large.
  struct Unusable: Error {}

  private let device: imgcolor_device
  /// Nothing changes it until it is freed.
  private let handle: SharedPointer<OpaquePointer>

  private init(_ handle: OpaquePointer, _ device: imgcolor_device) {
    self.handle = SharedPointer(handle)
    self.device = device
  }

  deinit { imgcolor_transform_free(handle.pointer) }

  /// Whether it reads the inks of an image in place of RGBA; see ``RowRequest/keepsInks``.
  var readsInks: Bool { device == .inks }

  /// The transform of a profile, made once for all images that have it; `nil` for sRGB.
  static func of(
    _ profile: [UInt8], _ model: ImageInfo.ColorModel, among recent: Recent = .shared
  ) throws(Unusable) -> ColorTransform? {
    guard profile.count <= maximumProfileByteCount else { throw Unusable() }
    let space = String(decoding: profile.dropFirst(16).prefix(4), as: UTF8.self)
    // Source: ICC.1:2022 §7.2.6, the data colour space.
    let device: imgcolor_device
    switch (space, model) {
    case ("CMYK", .cmyk), ("CMYK", .ycck): device = .inks
    case ("GRAY", .gray): device = .gray
    case ("RGB ", .gray), ("RGB ", .rgb), ("RGB ", .palette), ("RGB ", .ycbcr): device = .rgb
    default: throw Unusable()
    }
    return try recent.result(profile, device).get()
  }

  private static func make(
    _ profile: [UInt8], _ device: imgcolor_device
  ) -> Result<ColorTransform?, Unusable> {
    var isSRGB = false
    let handle = profile.withUnsafeBufferPointer { icc in
      icc.baseAddress.flatMap { imgcolor_transform_make($0, icc.count, device, &isSRGB) }
    }
    if isSRGB { return .success(nil) }
    guard let handle else { return .failure(Unusable()) }
    return .success(ColorTransform(handle, device))
  }

  /// Converts an image, or the inks of one, which become opaque.
  func apply(to pixels: inout PixelBuffer) {
    let count = pixels.size.pixelCount
    pixels.withMutableBytes { raw in
      guard let room = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      imgcolor_transform_apply(handle.pointer, room, count)
    }
  }
}
