import ArgumentParser
import ImagePipeline
import ThumbnailServer

/// The exit codes of every sub-command.
enum ExitStatus {
  /// All that was asked for was done.
  static let done = ExitCode(0)
  /// Some image, day or check failed or is unavailable.
  static let incomplete = ExitCode(1)
  /// The environment failed: cache unusable, disk full, port taken.
  static let environment = ExitCode(2)
  /// Misuse of the command line.
  static let misuse = ExitCode(64)

  /// The exit status for a failure that ends the command; 1 for a code not known here.
  static func forError(_ error: ImageError) -> ExitCode {
    switch error.code {
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .cannotListen: environment
    case .invalidArgument: misuse
    default: incomplete
    }
  }
}
