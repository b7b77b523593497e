package luafix

import "github.com/yuin/gopher-lua/ast"

// inspector calls visit for statements and, in them, every statement and
// expression. It goes into a node only if visit says so, and no deeper than maxDepth.
type inspector struct {
	visit func(n any) bool
	depth int
}

func inspect(stmts []ast.Stmt, visit func(n any) bool) {
	i := inspector{visit: visit}
	i.stmts(stmts)
}

func (i *inspector) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		if i.depth++; i.depth <= maxDepth && i.visit(s) {
			i.exprs(expressions(s))
			for _, b := range blocks(s) {
				i.stmts(b)
			}
		}
		i.depth--
	}
}

func (i *inspector) exprs(exprs []ast.Expr) {
	for _, e := range exprs {
		if e == nil {
			continue
		}
		if i.depth++; i.depth <= maxDepth && i.visit(e) {
			if f, ok := e.(*ast.FunctionExpr); ok {
				i.stmts(f.Stmts)
			}
			i.exprs(operands(e))
		}
		i.depth--
	}
}

// expressions lists those directly in a statement.
func expressions(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return append(append([]ast.Expr{}, s.Lhs...), s.Rhs...)
	case *ast.LocalAssignStmt:
		return s.Exprs
	case *ast.FuncCallStmt:
		return []ast.Expr{s.Expr}
	case *ast.WhileStmt:
		return []ast.Expr{s.Condition}
	case *ast.RepeatStmt:
		return []ast.Expr{s.Condition}
	case *ast.IfStmt:
		return []ast.Expr{s.Condition}
	case *ast.NumberForStmt:
		return []ast.Expr{s.Init, s.Limit, s.Step}
	case *ast.GenericForStmt:
		return s.Exprs
	case *ast.FuncDefStmt:
		return []ast.Expr{s.Func}
	case *ast.ReturnStmt:
		return s.Exprs
	}
	return nil
}

// blocks lists those directly in a statement.
func blocks(s ast.Stmt) [][]ast.Stmt {
	switch s := s.(type) {
	case *ast.DoBlockStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.WhileStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.RepeatStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.IfStmt:
		return [][]ast.Stmt{s.Then, s.Else}
	case *ast.NumberForStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.GenericForStmt:
		return [][]ast.Stmt{s.Stmts}
	}
	return nil
}

// operands lists the expressions directly in an expression that is no function.
func operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		return []ast.Expr{e.Object, e.Key}
	case *ast.TableExpr:
		var out []ast.Expr
		for _, f := range e.Fields {
			out = append(out, f.Key, f.Value)
		}
		return out
	case *ast.FuncCallExpr:
		return append([]ast.Expr{e.Func, e.Receiver}, e.Args...)
	case *ast.LogicalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.RelationalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.StringConcatOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.ArithmeticOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryNotOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryLenOpExpr:
		return []ast.Expr{e.Expr}
	}
	return nil
}

// hasClosure says whether the statements create a function.
func hasClosure(stmts []ast.Stmt) bool {
	found := false
	inspect(stmts, func(n any) bool {
		if _, ok := n.(*ast.FunctionExpr); ok {
			found = true
		}
		return !found
	})
	return found
}

// hasBreak says whether a break in the statements leaves the loop whose body they are.
func hasBreak(stmts []ast.Stmt) bool {
	found := false
	inspect(stmts, func(n any) bool {
		switch n.(type) {
		case *ast.BreakStmt:
			found = true
		case *ast.WhileStmt, *ast.RepeatStmt, *ast.NumberForStmt, *ast.GenericForStmt, *ast.FunctionExpr:
			return false
		}
		return !found
	})
	return found
}

// hasCall says whether evaluating the expressions calls anything.
func hasCall(exprs []ast.Expr) bool {
	found := false
	i := inspector{visit: func(n any) bool {
		switch n.(type) {
		case *ast.FuncCallExpr:
			found = true
		case *ast.FunctionExpr:
			return false
		}
		return !found
	}}
	i.exprs(exprs)
	return found
}
