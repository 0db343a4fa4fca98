public import NIOCore

/// A command to a server: its name, its arguments, and what decides where it is sent.
public struct RedisCommand: Sendable, Hashable {
  /// An argument: bytes, which literals and numbers become.
  public struct Argument: Sendable, Hashable, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral
  {
    /// The bytes.
    public let bytes: ByteBuffer

    /// Creates an argument of bytes.
    public init(_ bytes: ByteBuffer) { self.bytes = bytes }
    /// Creates an argument of the UTF-8 of a text.
    public init(_ text: String) { bytes = ByteBuffer(string: text) }
    /// Creates an argument of decimal digits.
    public init(_ number: Int) { self.init(String(number)) }
    /// Creates an argument from a literal text.
    public init(stringLiteral text: String) { self.init(text) }
    /// Creates an argument from a literal number.
    public init(integerLiteral number: Int) { self.init(number) }
  }

  /// The name and the arguments, in order.
  public let arguments: [Argument]
  /// The position of the key that decides which node has the command, counted with the name as 0;
  /// `nil` for a command that any node may execute.
  public let keyPosition: Int?
  /// Whether a replica may execute it.
  public let isReadOnly: Bool

  /// Creates a command. The first key is its first argument unless another position, counted with
  /// the name as 0, or `nil` for none, is given; a replica executes only what is read-only.
  public init(
    _ name: String, _ arguments: [Argument] = [], keyPosition: Int? = 1, isReadOnly: Bool = false
  ) {
    self.arguments = [Argument(name)] + arguments
    self.keyPosition = keyPosition.flatMap { $0 > 0 && $0 <= arguments.count ? $0 : nil }
    self.isReadOnly = isReadOnly
  }

  var key: ByteBuffer? { keyPosition.map { arguments[$0].bytes } }
}

extension RedisCommand {
  /// Arguments that are longer are not copied.
  private static let maximumCopiedByteCount = 16 << 10

  /// Appends the encoded command to the last of some buffers, and long arguments as their own.
  func encode(into buffers: inout [ByteBuffer]) {
    if buffers.isEmpty { buffers.append(ByteBuffer()) }
    var tail = buffers.removeLast()
    tail.writeString("*\(arguments.count)\r\n")
    for argument in arguments {
      tail.writeString("$\(argument.bytes.readableBytes)\r\n")
      if argument.bytes.readableBytes > Self.maximumCopiedByteCount {
        buffers.append(tail)
        buffers.append(argument.bytes)
        tail = ByteBuffer()
      } else {
        tail.writeImmutableBuffer(argument.bytes)
      }
      tail.writeString("\r\n")
    }
    buffers.append(tail)
  }
}

extension Channel {
  func send(_ commands: [RedisCommand]) {
    var buffers: [ByteBuffer] = []
    for command in commands { command.encode(into: &buffers) }
    for buffer in buffers { write(buffer, promise: nil) }
    flush()
  }
}
