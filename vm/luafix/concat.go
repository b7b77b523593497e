package luafix

import "github.com/yuin/gopher-lua/ast"

// Concat is the global function that compiled code joins the operands of ".." with:
// gopher-lua's own instruction writes numbers as Go does. No script can write the
// name. A state that runs compiled code must have the function; vm/luastr's
// does what Lua does.
const Concat = "(concat)"

// concat makes one call of a chain of "..", whose operands are evaluated from left to right
// and of which each gives one value. A chain of texts alone stays as it is.
func (r *repairer) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var last ast.Expr = e
	for chain, ok := e, true; ok; chain, ok = last.(*ast.StringConcatOpExpr) {
		operands = append(operands, r.expr(chain.Lhs))
		last = chain.Rhs
	}
	operands = append(operands, r.expr(last))
	if texts(operands) {
		return e
	}
	switch last := operands[len(operands)-1].(type) {
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	name := at(e, &ast.IdentExpr{Value: Concat})
	return at(e, &ast.FuncCallExpr{Func: name, Args: operands, AdjustRet: true})
}

func texts(es []ast.Expr) bool {
	for _, e := range es {
		if _, ok := e.(*ast.StringExpr); !ok {
			return false
		}
	}
	return true
}
