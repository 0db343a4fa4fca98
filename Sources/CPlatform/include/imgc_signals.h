#ifndef IMGC_SIGNALS_H
#define IMGC_SIGNALS_H

/// Makes the pipe that signals are told through, on the first call.
///
/// Returns the end to read from: each byte is the number of a signal that came; -1 with errno set.
/// It stays open for the life of the process.
int imgc_signals_open(void);

/// Has a signal written into the pipe from now on, instead of what it does by itself. A read or
/// write that it interrupts goes on. imgc_signals_open() comes first.
///
/// Returns 0, or -1 with errno set.
int imgc_signals_hear(int number);

/// Has a signal end the process with the status 128 and its number, unless it is ignored already.
///
/// Returns 0, or -1 with errno set.
int imgc_signals_end(int number);

#endif
