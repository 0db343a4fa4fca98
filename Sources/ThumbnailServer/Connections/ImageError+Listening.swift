import ImagePipeline
import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ImageError {
  /// That an address cannot be listened on, in the words of the system.
  static func cannotListen(on address: String, _ error: any Error) -> ImageError {
    let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    return ImageError(.cannotListen, "cannot listen on \(address): \(reason)")
  }
}
