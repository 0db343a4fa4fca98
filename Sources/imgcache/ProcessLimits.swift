import ArgumentParser
import CPlatform
import ImageModel

/// The address space of the process, if `ulimit -v` limits it, and the threads that it may start,
/// which `ulimit -u` and control groups limit.
///
/// A library that cannot start a thread, or gets no memory for one, ends the process with a trap or
/// waits for ever, so the room is checked before a command starts.
enum ProcessLimits {
  static func shortage(for command: any ParsableCommand) -> String? {
    guard let (threads, bytes) = needs(of: command) else { return nil }
    let limit = imgc_limits_address_space()
    if limit != .max {
      let needed = Int64(threads) * imgc_limits_stack_byte_count() + Int64(bytes)
      guard imgc_limits_address_space_has(needed) != 0 else {
        return "Address space limited to \(ByteQuantity(Int(limit))) (ulimit -v, RLIMIT_AS); "
          + "\(ByteQuantity(Int(needed))) more are needed for \(threads) threads and memory: "
          + "raise the limit, or bound the memory by a control group (MemoryMax=)"
      }
    }
    let granted = Int(imgc_limits_grants_threads(Int32(threads)))
    guard granted < threads else { return nil }
    return "The system grants only \(granted) of \(threads) threads: raise the limit of the user "
      + "(ulimit -u, RLIMIT_NPROC) or of the control group (TasksMax=, pids.max)"
  }

  /// The threads that a command needs, including those of libraries, and the bytes besides their
  /// stacks; `nil` for a command that starts none.
  private static func needs(of command: any ParsableCommand) -> (threads: Int, bytes: Int)? {
    // What the allocator reserves for the threads of a server, and what starting takes.
    let serverByteCount = 160 << 20
    // No address space is larger.
    let maximum = 1 << 48
    switch command {
    case is GetCommand, is PathCommand, is RefreshCommand, is SheetCommand, is ShowCommand:
      // The pipeline needs only one thread of its own.
      return (6, 96 << 20)
    case let thumb as ThumbCommand:
      return (6 + (thumb.makesSeveral ? Processors.usableCount : 0), 96 << 20)
    case is PrefetchCommand:
      // Six images are decoded and stored at once.
      return (12, 128 << 20)
    case let serve as ServeCommand:
      // Those for clients, of the pipeline, the server, curl, signals, and of Swift and Dispatch.
      let threads = 2 * Processors.usableCount + (serve.load.decodes + 2) + 5 + 1 + 1 + 4
      return (threads, serverByteCount + min(serve.load.memory.count, maximum))
    case let proxy as ProxyCommand:
      let threads = 2 * Processors.usableCount + 8 + 1 + 1 + 4
      return (threads, serverByteCount + min(proxy.memoryByteCount, maximum))
    default: return nil
    }
  }
}
