import HTTPListening
import ImageModel

extension HostAllowList {
  /// Reads the values of an option.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument`, naming the option.
  init(_ hosts: [String], of option: String) throws(ImageError) {
    do {
      try self.init(hosts)
    } catch {
      throw ImageError(error.code, "\(option): \(error.message)")
    }
  }
}
