// Package luafix compiles Lua source with gopher-lua's parser and compiler, and
// repairs between the two what that compiler gets wrong.
//
// [Compile] takes Lua 5.1 with goto. It rewrites the syntax tree into forms that
// gopher-lua compiles correctly, keeping the line of every error, and then
// checks and mends the bytecode. What comes out does what Lua's manual says; the
// cases under testdata/lua pin each repair, together with what gopher-lua does
// without it, so that an upgrade of gopher-lua shows which repairs it has made
// needless.
//
// Every error is a [*SyntaxError]. Compile never panics, whatever the source.
package luafix
