package luafix

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Compile turns the source of a chunk into a function prototype. Prototypes are
// immutable and can be shared between states. name is what errors call the
// chunk, usually its file. The error is a *SyntaxError.
func Compile(source, name string) (proto *lua.FunctionProto, err error) {
	source = strip(source)
	tokens, odd := scan(source)
	if err := checkNumerals(tokens, name); err != nil {
		return nil, err
	}
	source = plainComments(source, odd)
	chunk, err := parseChunk(source, name)
	if err != nil {
		return nil, err
	}
	chunk, err = repair(chunk, name)
	if err != nil {
		return nil, err
	}
	proto, err = compileChunk(chunk, name)
	if err != nil {
		return nil, err
	}
	if err := mend(proto); err != nil {
		return nil, err
	}
	mendLocals(chunk, proto)
	return proto, nil
}

// strip removes a byte order mark and makes a first line that begins with # empty,
// as Lua's own loader does.
func strip(source string) string {
	source = strings.TrimPrefix(source, "\xef\xbb\xbf")
	if strings.HasPrefix(source, "#") {
		end := strings.IndexByte(source, '\n')
		if end < 0 {
			end = len(source)
		}
		source = source[end:]
	}
	return source
}

// plainComments takes the brackets away from comments that begin with "--[=" and are
// not long ones: gopher-lua would not take them for comments.
func plainComments(source string, odd []int) string {
	if len(odd) == 0 {
		return source
	}
	b := []byte(source)
	for _, at := range odd {
		b[at] = ' '
	}
	return string(b)
}

func parseChunk(source, name string) (chunk []ast.Stmt, err error) {
	defer rescue(name, &err)
	chunk, err = parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, parseError(err, source, name)
	}
	return chunk, nil
}

func compileChunk(chunk []ast.Stmt, name string) (proto *lua.FunctionProto, err error) {
	defer rescue(name, &err)
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		return nil, compileError(err, name)
	}
	return proto, nil
}

// rescue turns a panic of gopher-lua's parser or compiler into an error.
func rescue(name string, err *error) {
	if r := recover(); r != nil {
		*err = &SyntaxError{File: name, Line: 1, Message: fmt.Sprintf("the compiler gave up: %v", r)}
	}
}
