/// Bytes that files of a format begin with.
public struct ImageSignature: Sendable {
  private let pattern: [UInt8?]

  /// Creates a signature; `nil` matches any byte.
  public init(_ pattern: [UInt8?]) { self.pattern = pattern }

  /// Creates a signature of ASCII text, in which `.` matches any byte.
  public init(_ text: String) {
    pattern = text.utf8.map { $0 == UInt8(ascii: ".") ? nil : $0 }
  }

  /// Compares the first bytes of a file.
  public func recognition(of head: RawSpan) -> ImageRecognition {
    let count = min(head.byteCount, pattern.count)
    for index in 0..<count {
      let byte = head.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      if let expected = pattern[index], expected != byte { return .no }
    }
    return head.byteCount < pattern.count ? .undecided : .yes
  }
}

extension ImageRecognition {
  /// The best match of several signatures.
  public init(of head: RawSpan, among signatures: [ImageSignature]) {
    self = .no
    for signature in signatures {
      switch signature.recognition(of: head) {
      case .yes:
        self = .yes
        return
      case .undecided: self = .undecided
      case .no: break
      }
    }
  }
}
