/// A cache that answers the requests of a trace one at a time, for a simulation of several caches.
///
/// A call costs a few nanoseconds more than in ``PolicyReplay``, which replays a whole trace.
package struct ReplayCache {
  /// One request: a key's number, its size, and the evictions to add to; returns whether it hits.
  package typealias Access = (UInt32, Int, inout Int) -> Bool

  private let accessOne: Access

  init(_ access: @escaping Access) { accessOne = access }

  /// Performs one request: a hit, or an insertion. An entry that is requested with another size has
  /// that size from then on.
  ///
  /// - Parameter evictions: Incremented by the number of evictions.
  package func access(_ number: UInt32, size: Int, evictions: inout Int) -> Bool {
    accessOne(number, size, &evictions)
  }
}
