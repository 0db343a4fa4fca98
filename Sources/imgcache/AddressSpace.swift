import CPlatform
import ImagePipeline

/// The address space of the process, where `ulimit -v` bounds it.
///
/// A library that cannot start a thread, or gets no memory for one, ends the process with a trap:
/// whether there is room for all that a command starts is found out before.
enum AddressSpace {
  /// Why a command cannot run; `nil` where it can.
  static func shortage(for command: any ThreadStarting) -> String? {
    let limit = imgc_limits_address_space()
    guard limit != .max else { return nil }
    let count = command.threadCount
    let stacks = Int64(count) * imgc_limits_stack_byte_count()
    let needed = stacks + Int64(command.memoryByteCount)
    guard imgc_limits_address_space_has(needed) == 0 else { return nil }
    return "Address space limited to \(ByteQuantity(Int(limit))) (ulimit -v, RLIMIT_AS); "
      + "\(ByteQuantity(Int(needed))) more are needed for \(count) threads and memory: "
      + "raise the limit, or bound the memory by a control group (MemoryMax=)"
  }
}

/// A command that starts threads.
protocol ThreadStarting {
  /// The threads that it does not run without, those of libraries included.
  var threadCount: Int { get }
  /// Bytes that it takes besides the stacks of its threads.
  var memoryByteCount: Int { get }
}

extension ThreadStarting {
  // The pipeline makes do with one thread of its own.
  var threadCount: Int { 6 }
  var memoryByteCount: Int { 96 << 20 }
}

extension GetCommand: ThreadStarting {}
extension PathCommand: ThreadStarting {}
extension RefreshCommand: ThreadStarting {}
extension SheetCommand: ThreadStarting {}
extension ShowCommand: ThreadStarting {}
extension ThumbCommand: ThreadStarting {}

extension PrefetchCommand: ThreadStarting {
  var threadCount: Int { 12 }
}

extension ServeCommand: ThreadStarting {
  // Clients', the pipeline's, the server's, curl's, the signals', and those of Swift and Dispatch.
  var threadCount: Int { 2 * Processors.usableCount + (load.decodes + 2) + 5 + 1 + 1 + 4 }
  var memoryByteCount: Int { serverByteCount + load.memory.count }
}

extension ProxyCommand: ThreadStarting {
  var threadCount: Int { 2 * Processors.usableCount + 8 + 1 + 1 + 4 }
  var memoryByteCount: Int {
    serverByteCount + (memory ? cache.maximumSize?.count ?? Self.storageByteCount : 0)
  }
}

/// What the allocator reserves for the threads of a server, and what starting takes.
private let serverByteCount = 160 << 20
