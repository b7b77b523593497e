// Package lua51 is Lua 5.1's standard library, without any way out of the script,
// for gopher-lua states whose coroutines can wait for a scheduler.
//
// A [State] runs Lua in threads. Where Lua code calls pcall, xpcall or
// coroutine.resume, what it calls runs in another thread, and the calling thread
// yields to the State, which keeps a stack of them and resumes the innermost. So a
// wait for I/O is one yield of the innermost thread, however many protected calls and
// coroutines of the script's own lie around it, and nothing is passed through them.
// Only where Go code or an operator calls Lua is there no way to wait: a metamethod,
// a comparison of table.sort, a replacement of string.gsub. There protected calls and
// coroutines still work, since the State is then run again beneath, and [State.CheckWait]
// says what is in the way.
//
// Of later versions of Lua there are goto, arguments for what xpcall calls, and __len of
// tables. If one argument of math.max or math.min is not a number, such as a percentile of
// nothing, neither is the result, wherever it stands.
//
// The package replaces some of gopher-lua's instructions and reads its frames: see
// inside.go, which checks that they are where they were in v1.1.2. Loops, tail calls
// and returns look at one word, so that Lua that runs away can be stopped; ".." writes
// numbers as Lua does; integer keys far beyond a table's end are refused; and errors
// name what was nil.
package lua51
