// Package lua51 is the standard library that scripts get: Lua 5.1's as its manual has it,
// without a way out of the program.
//
// The string functions, and the conversions between numbers and text, are package
// vm/luastr's; errors are presented by vm/luaerr.
package lua51
