import ImagePipeline
import NIOCore

extension ImageError.Code {
  /// The address, port or socket cannot be listened on.
  public static let cannotListen = Self(rawValue: "cannot_listen")
}

extension ImageError {
  /// The error of an address that cannot be listened on.
  static func cannotListen(on address: String, _ error: any Error) -> ImageError {
    let failure = "cannot listen on \(address)"
    if let error = error as? IOError {
      return ImageError(.cannotListen, failure, errno: error.errnoCode)
    }
    return ImageError(.cannotListen, "\(failure): \(error)", cause: error)
  }
}
