public import CachePolicies
public import ImageModel

/// A memory tier of decoded images: `MemoryCache<DecodedImage>`, or one of your own. Any thread may
/// call it.
public protocol ImageMemoryCaching: MemoryConsuming {
  /// Returns the image of a key; `nil` when there is none, or when it has expired.
  func value(for key: MemoryKey) -> DecodedImage?

  /// Stores an image, replacing the one that the key had.
  ///
  /// - Parameters:
  ///   - image: The image; `DecodedImage.url` is what it is purged by.
  ///   - key: The key of the request.
  ///   - byteCount: Its cost.
  ///   - lifetime: How long it is valid; `nil` for as long as the tier keeps it.
  /// - Returns: Whether it was stored.
  func insert(
    _ image: DecodedImage, for key: MemoryKey, byteCount: Int, lifetime: Duration?
  ) -> Bool

  /// Removes the image of a key, if any.
  func remove(_ key: MemoryKey)

  /// Removes the images that meet a condition, and returns how many they were.
  func removeAll(where isOut: (DecodedImage) -> Bool) -> Int
}

extension MemoryCache: ImageMemoryCaching where Value == DecodedImage {}
