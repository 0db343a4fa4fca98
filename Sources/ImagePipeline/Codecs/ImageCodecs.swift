/// The formats this library reads and writes: from bytes to pixels and back.
///
/// Nothing here keeps state; any thread may call. A call runs to its end on the calling thread, so
/// callers give it a thread that may block.
public enum ImageCodecs {}
