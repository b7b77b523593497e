package luafix

import (
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// mendLocals makes a prototype's list of locals true, and those of the prototypes in it:
// which names are in which registers, where. The compiler notes where a local begins, but
// where it ends in whatever place of the list its register's number is.
//
// A local is taken to end where another takes its register, or one before it. Between
// the end of its block and that place it stays, though out of scope.
func mendLocals(chunk []ast.Stmt, proto *lua.FunctionProto) {
	s := &scope{}
	s.block(chunk)
	s.mend(proto)
}

// scope follows the compiler through a function: in the same order, it declares the same
// locals.
type scope struct {
	top       int   // the next register
	registers []int // of each local declared
	inner     []*scope
}

func (s *scope) mend(p *lua.FunctionProto) {
	if len(s.registers) != len(p.DbgLocals) || len(s.inner) != len(p.FunctionPrototypes) {
		return // this follows another compiler
	}
	for i, l := range p.DbgLocals {
		l.EndPc = len(p.Code)
		for j := i + 1; j < len(s.registers); j++ {
			if s.registers[j] <= s.registers[i] {
				l.EndPc = p.DbgLocals[j].StartPc
				break
			}
		}
	}
	for i, inner := range s.inner {
		inner.mend(p.FunctionPrototypes[i])
	}
}

func (s *scope) declare(n int) {
	for range n {
		s.registers = append(s.registers, s.top)
		s.top++
	}
}

func (s *scope) block(stmts []ast.Stmt) {
	top := s.top
	s.stmts(stmts)
	s.top = top
}

func (s *scope) stmts(stmts []ast.Stmt) {
	for _, st := range stmts {
		s.stmt(st)
	}
}

func (s *scope) stmt(st ast.Stmt) {
	if local, ok := st.(*ast.LocalAssignStmt); ok {
		s.local(local)
		return
	}
	top := s.top
	switch st := st.(type) {
	case *ast.FuncDefStmt:
		s.function(st.Func, st.Name.Func == nil)
	case *ast.RepeatStmt:
		s.stmts(st.Stmts)
		s.expr(st.Condition)
	case *ast.NumberForStmt:
		for _, e := range []ast.Expr{st.Init, st.Limit, st.Step} {
			s.declare(1)
			s.expr(e)
		}
		s.declare(1)
		s.stmts(st.Stmts)
	case *ast.GenericForStmt:
		s.declare(3)
		s.exprs(st.Exprs)
		s.declare(len(st.Names))
		s.stmts(st.Stmts)
	default:
		s.exprs(expressions(st))
		for _, b := range blocks(st) {
			s.block(b)
		}
	}
	s.top = top
}

// local declares after the values, but for "local function", whose body sees the local.
func (s *scope) local(st *ast.LocalAssignStmt) {
	if len(st.Names) == 1 && len(st.Exprs) == 1 {
		if f, ok := st.Exprs[0].(*ast.FunctionExpr); ok {
			s.declare(1)
			s.function(f, false)
			return
		}
	}
	s.exprs(st.Exprs)
	s.declare(len(st.Names))
}

func (s *scope) exprs(es []ast.Expr) {
	for _, e := range es {
		s.expr(e)
	}
}

func (s *scope) expr(e ast.Expr) {
	switch e := e.(type) {
	case nil:
	case *ast.FunctionExpr:
		s.function(e, false)
	default:
		s.exprs(operands(e))
	}
}

func (s *scope) function(f *ast.FunctionExpr, method bool) {
	inner := &scope{}
	if method {
		inner.declare(1)
	}
	inner.declare(len(f.ParList.Names))
	if f.ParList.HasVargs && lua.CompatVarArg {
		inner.declare(1)
	}
	inner.stmts(f.Stmts)
	s.inner = append(s.inner, inner)
}
