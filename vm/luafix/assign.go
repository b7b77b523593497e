package luafix

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// Names of the locals that repairs add hold a parenthesis, so that no script can
// mean them.

func local(pos ast.PositionHolder, names []string, values ...ast.Expr) *ast.LocalAssignStmt {
	s := &ast.LocalAssignStmt{Names: names, Exprs: values}
	s.SetLine(pos.Line())
	return s
}

func ident(pos ast.PositionHolder, name string) *ast.IdentExpr {
	return at(pos, &ast.IdentExpr{Value: name})
}

// localFunction keeps "local f = function" apart from "local function f", in
// which alone the body sees the new f. The parser gives only the latter a last
// line, and the compiler takes both for it unless there is a second value.
func localFunction(s *ast.LocalAssignStmt) ast.Stmt {
	if len(s.Names) == 1 && len(s.Exprs) == 1 && s.LastLine() == 0 {
		if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			s.Exprs = append(s.Exprs, at(f, &ast.NilExpr{}))
		}
	}
	return s
}

// assign repairs assignments. gopher-lua evaluates the right side straight into
// the variables on the left, and looks at tables and keys on the left only after
// it: "a, b = b, a", "i, t[i] = i+1, 20", "r = r and f() and g()" and "x = (...)"
// go wrong. It also takes a constant on the left for a register: "(1).x = 2".
func (r *repairer) assign(s *ast.AssignStmt) ast.Stmt {
	for _, l := range s.Lhs {
		if l, ok := l.(*ast.AttrGetExpr); ok {
			l.Object, l.Key = r.expr(l.Object), r.expr(l.Key)
		}
	}
	r.exprs(s.Rhs)
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 && direct(s.Lhs[0], s.Rhs[0]) {
		return s
	}
	return throughLocals(s)
}

// direct says that gopher-lua compiles an assignment correctly as it stands.
func direct(lhs, rhs ast.Expr) bool {
	if l, ok := lhs.(*ast.AttrGetExpr); ok {
		switch l.Object.(type) {
		case *ast.IdentExpr, *ast.AttrGetExpr, *ast.FuncCallExpr:
			return true
		}
		return false
	}
	switch rhs := rhs.(type) {
	case *ast.LogicalOpExpr:
		return false
	case *ast.FuncCallExpr:
		return !rhs.AdjustRet
	case *ast.Comma3Expr:
		return !rhs.AdjustRet
	}
	return true
}

// throughLocals evaluates everything into fresh locals, left to right, and then
// assigns them, right to left as Lua does.
func throughLocals(s *ast.AssignStmt) ast.Stmt {
	var out []ast.Stmt
	for i, l := range s.Lhs {
		if l, ok := l.(*ast.AttrGetExpr); ok {
			keep := func(e ast.Expr, what string) ast.Expr {
				if constant(e) || stable(e, s) {
					return e
				}
				name := fmt.Sprintf("(%s %d)", what, i)
				out = append(out, local(e, []string{name}, e))
				return ident(e, name)
			}
			l.Object = keep(l.Object, "table")
			l.Key = keep(l.Key, "key")
		}
	}
	values := make([]string, len(s.Lhs))
	for i := range values {
		values[i] = fmt.Sprintf("(value %d)", i)
	}
	out = append(out, local(s, values, s.Rhs...))
	for i := len(s.Lhs) - 1; i >= 0; i-- {
		l := s.Lhs[i]
		out = append(out, at(l, &ast.AssignStmt{Lhs: []ast.Expr{l}, Rhs: []ast.Expr{ident(l, values[i])}}))
	}
	return at(s, &ast.DoBlockStmt{Stmts: out})
}

// constant says that a key can stay where it is. Tables that are constants
// cannot: they are what the compiler takes for a register.
func constant(e ast.Expr) bool {
	_, ok := e.(*ast.StringExpr)
	return ok
}

// stable says that a variable keeps its value while the assignment is evaluated
// and done.
func stable(e ast.Expr, s *ast.AssignStmt) bool {
	v, ok := e.(*ast.IdentExpr)
	if !ok || hasCall(s.Lhs) || hasCall(s.Rhs) {
		return false
	}
	for _, l := range s.Lhs {
		if l, ok := l.(*ast.IdentExpr); ok && l.Value == v.Value {
			return false
		}
	}
	return true
}
