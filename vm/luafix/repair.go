package luafix

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// maxDepth bounds how deep blocks and expressions nest: gopher-lua's compiler
// recurses, and a Go stack that runs out cannot be recovered from.
const maxDepth = 1000

// repair rewrites a chunk into forms that gopher-lua compiles correctly. It
// changes the tree in place.
func repair(chunk []ast.Stmt, file string) ([]ast.Stmt, error) {
	r := repairer{file: file, closures: hasClosure(chunk)}
	chunk = r.block(chunk)
	if r.err != nil {
		return nil, r.err
	}
	return chunk, nil
}

type repairer struct {
	file     string
	depth    int
	closures bool // the function at hand creates functions
	err      *SyntaxError
}

func (r *repairer) fail(pos ast.PositionHolder, format string, args ...any) {
	if r.err == nil {
		r.err = &SyntaxError{File: r.file, Line: max(pos.Line(), 1), Message: fmt.Sprintf(format, args...)}
	}
}

// enter counts a level of nesting; false if there are too many.
func (r *repairer) enter(pos ast.PositionHolder) bool {
	r.depth++
	if r.depth > maxDepth {
		r.fail(pos, "blocks or expressions nest more than %d deep", maxDepth)
	}
	return r.err == nil
}

func (r *repairer) block(stmts []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(stmts))
	for i, s := range stmts {
		if label, ok := s.(*ast.LabelStmt); ok && beginsWithJump(stmts[i+1:]) {
			out = append(out, label, doNothing(label))
			continue
		}
		if r.enter(s) {
			s = r.stmt(s)
		}
		r.depth--
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// stmt returns what stands for a statement, nil if it does nothing.
func (r *repairer) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assign(s)
	case *ast.LocalAssignStmt:
		r.exprs(s.Exprs)
		return localFunction(s)
	case *ast.FuncCallStmt:
		r.expr(s.Expr) // a call stays a call
	case *ast.DoBlockStmt:
		s.Stmts = r.block(s.Stmts)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		s.Then, s.Else = r.block(s.Then), r.block(s.Else)
		return foldIf(s)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		if value, known := truth(s.Condition); known && !value {
			return nil
		}
		s.Stmts = r.loopBody(s, s.Stmts)
	case *ast.RepeatStmt:
		s.Stmts, s.Condition = r.loopBody(s, s.Stmts), r.expr(s.Condition)
	case *ast.NumberForStmt:
		s.Init, s.Limit, s.Step = r.expr(s.Init), r.expr(s.Limit), r.expr(s.Step)
		s.Stmts = r.loopBody(s, s.Stmts)
	case *ast.GenericForStmt:
		return r.genericFor(s)
	case *ast.FuncDefStmt:
		r.function(s.Func)
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	case *ast.GotoStmt:
		return r.gotoStmt(s)
	}
	return s
}

func (r *repairer) exprs(es []ast.Expr) {
	for i, e := range es {
		es[i] = r.expr(e)
	}
}

// expr returns what stands for an expression; nil stays nil.
func (r *repairer) expr(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	if r.enter(e) {
		e = r.operator(e)
	}
	r.depth--
	return e
}

func (r *repairer) operator(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.NumberExpr:
		var err error
		if e.Value, err = numeral(e.Value); err != nil {
			r.fail(e, "%v", err)
		}
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		r.table(e)
	case *ast.FuncCallExpr:
		e.Func, e.Receiver = r.expr(e.Func), r.expr(e.Receiver)
		r.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		return foldLogical(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = negated(r.expr(e.Expr))
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
		return foldNot(e)
	case *ast.FunctionExpr:
		r.function(e)
	}
	return e
}

// maxList is how many values of a table constructor's list gopher-lua can number.
const maxList = 25500

// table repairs a table constructor: gopher-lua takes a call or ... in a last field
// that has a key for the end of the list.
func (r *repairer) table(e *ast.TableExpr) {
	list := 0
	for _, f := range e.Fields {
		f.Key, f.Value = r.expr(f.Key), r.expr(f.Value)
		if f.Key == nil {
			list++
		} else {
			f.Value = single(f.Value)
		}
	}
	if list > maxList {
		r.fail(e, "a table constructor lists %d values, and %d is the limit: fill the table in a loop", list, maxList)
	}
}

func (r *repairer) function(f *ast.FunctionExpr) {
	outer := r.closures
	r.closures = hasClosure(f.Stmts)
	f.Stmts = r.block(f.Stmts)
	r.closures = outer
}
