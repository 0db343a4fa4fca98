/// Where a picture in a story's page is to be had from us, in place of its own address.
public struct PageImage: Sendable, Hashable {
  /// The address for the page, for example `/image?url=…`; escaped when it is written.
  public var source: String
  /// The same picture with twice the pixels, where there is one.
  public var doubleSource: String?
  /// Columns, so that the page keeps room for it; 0 where unknown.
  public var width: Int
  /// Rows; 0 where unknown.
  public var height: Int

  /// Creates an address.
  public init(source: String, doubleSource: String? = nil, width: Int = 0, height: Int = 0) {
    self.source = source
    self.doubleSource = doubleSource
    self.width = width
    self.height = height
  }
}
