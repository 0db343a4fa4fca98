/// Keeps decoded pictures in memory: the seam between the pipeline and the memory tier.
///
/// Asked before anything else, on whatever thread the caller is: an implementation answers at once, without a
/// system call, a task or a wait.
public protocol PictureMemory: Sendable {
  /// The picture under a name; counts as an access.
  func picture(for key: PictureKey) -> DecodedPicture?
  /// Keeps a picture, or does not, as its limits say.
  func keep(_ picture: DecodedPicture, for key: PictureKey)
  /// Forgets a picture.
  func removePicture(for key: PictureKey)
}
