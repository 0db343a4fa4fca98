import RedisClustering

/// The operations that the servers execute in one step.
enum TierScripts {
  /// Stores a value if its generation is still that of its source, and releases a lock.
  ///
  /// Keys: generation, value, lock. Arguments: the generation, the value, its lifetime in
  /// milliseconds, the lock's token or nothing, the least lifetime of the generation. Returns 1 if
  /// it was stored.
  static let store = RedisScript(
    """
    if ARGV[4] ~= '' and redis.call('GET', KEYS[3]) == ARGV[4] then redis.call('DEL', KEYS[3]) end
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
    redis.call('PEXPIRE', KEYS[1], ARGV[5], 'GT')
    return 1
    """)

  /// Lists purges by tag under the server's time, and removes those that are of no use any more.
  ///
  /// Key: the list. Arguments: the lifetime of an entry in milliseconds, the time of the purge, and
  /// tags.
  static let list = RedisScript(
    """
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    for index = 3, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[2] .. ' ' .. ARGV[index]) end
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return 1
    """)

  static let release = RedisScript(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")
}
