import ImagePipeline

/// The picture that stands in for others.
enum ServePlaceholder {
  /// Reads and checks it: one that cannot be decoded is found out at the start.
  static func read(_ path: String) throws -> [UInt8] {
    let bytes = try InputFile.read(path, maximum: 16 << 20)
    do {
      _ = try ImageCodecs.check(bytes.span.bytes, level: .decode)
    } catch {
      throw ImageError(.invalidArgument, "the placeholder \(path) is no image: \(error.message)")
    }
    return bytes
  }
}
