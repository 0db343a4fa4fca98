/// A calendar day in UTC+8, the time zone of Zhihu Daily.
public struct DayKey: Sendable, Hashable {}
