package luafix

import "github.com/yuin/gopher-lua/ast"

// truth is the truth of an expression that is a constant.
func truth(e ast.Expr) (value, known bool) {
	switch e.(type) {
	case *ast.NilExpr, *ast.FalseExpr:
		return false, true
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	}
	return false, false
}

// single makes an expression yield exactly one value.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// foldLogical decides and/or whose left side is a constant, so that no condition
// begins with an unconditional jump.
func foldLogical(e *ast.LogicalOpExpr) ast.Expr {
	value, known := truth(e.Lhs)
	switch {
	case !known:
		return e
	case value == (e.Operator == "and"):
		return single(e.Rhs)
	}
	return e.Lhs
}

func foldNot(e *ast.UnaryNotOpExpr) ast.Expr {
	value, known := truth(e.Expr)
	switch {
	case !known:
		return e
	case value:
		return at(e, &ast.FalseExpr{})
	}
	return at(e, &ast.TrueExpr{})
}

// negated keeps -0 from being folded: as a constant it would be one with 0, whichever
// comes first in the function.
func negated(e ast.Expr) ast.Expr {
	if n, ok := e.(*ast.NumberExpr); ok && n.Value == "0" {
		return at(e, &ast.StringExpr{Value: n.Value})
	}
	return e
}

// foldIf decides an if whose condition is a constant.
func foldIf(s *ast.IfStmt) ast.Stmt {
	value, known := truth(s.Condition)
	if !known {
		return s
	}
	stmts := s.Else
	if value {
		stmts = s.Then
	}
	return at(s, &ast.DoBlockStmt{Stmts: stmts})
}

// at gives a new node the lines of the one that it stands for.
func at[N ast.PositionHolder](old ast.PositionHolder, n N) N {
	n.SetLine(old.Line())
	n.SetLastLine(old.LastLine())
	return n
}
