package luafix

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// loopBody repairs the body of a loop.
//
// A break out of a block within the loop does not close what functions captured in
// that block; it does if something of the loop's own block is captured. And a
// loop whose body begins with a jump is entered at a wrong place from its second
// round on.
func (r *repairer) loopBody(loop ast.Stmt, body []ast.Stmt) []ast.Stmt {
	guard := hasBreak(body) && hasClosure(body)
	body = r.block(body)
	switch {
	case guard:
		return append(captured(loop), body...)
	case beginsWithJump(body):
		return append([]ast.Stmt{doNothing(loop)}, body...)
	}
	return body
}

// beginsWithJump says whether the first instruction of statements may be a jump.
func beginsWithJump(stmts []ast.Stmt) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.BreakStmt:
			return true
		case *ast.LabelStmt:
			continue
		case *ast.DoBlockStmt:
			if len(s.Stmts) == 0 {
				continue
			}
			return beginsWithJump(s.Stmts)
		case *ast.WhileStmt:
			_, known := truth(s.Condition)
			return known && (len(s.Stmts) == 0 || beginsWithJump(s.Stmts))
		case *ast.RepeatStmt:
			if _, known := truth(s.Condition); known && len(s.Stmts) == 0 {
				return true
			}
			return beginsWithJump(s.Stmts)
		}
		return false
	}
	return false
}

// doNothing compiles to one instruction that is no jump.
func doNothing(pos ast.PositionHolder) ast.Stmt {
	return at(pos, &ast.DoBlockStmt{Stmts: []ast.Stmt{local(pos, []string{"(nothing)"})}})
}

// captured makes the compiler believe that the block at hand has a local which a
// function captures. The function is never made.
func captured(pos ast.PositionHolder) []ast.Stmt {
	ret := at(pos, &ast.ReturnStmt{Exprs: []ast.Expr{ident(pos, "(captured)")}})
	fn := at(pos, &ast.FunctionExpr{ParList: &ast.ParList{Names: []string{}}, Stmts: []ast.Stmt{ret}})
	never := at(pos, &ast.IfStmt{
		Condition: at(pos, &ast.FalseExpr{}),
		Then:      []ast.Stmt{local(pos, []string{"(never)"}, fn)},
	})
	return []ast.Stmt{local(pos, []string{"(captured)"}), never}
}

// gotoStmt repairs goto in a function that makes closures: it closes every
// captured local of the function, even those that live on, unless it leaves a
// block in which one is captured.
func (r *repairer) gotoStmt(s *ast.GotoStmt) ast.Stmt {
	if !r.closures {
		return s
	}
	return at(s, &ast.DoBlockStmt{Stmts: append(captured(s), s)})
}

// genericFor repairs the generic for. gopher-lua leaves the control variable to
// chance when there are fewer than three values and not one call; and it calls the
// iterator from Go, where Lua code cannot yield. So it becomes a while loop,
// except over pairs, ipairs and next, which are quicker as they are and never yield.
func (r *repairer) genericFor(s *ast.GenericForStmt) ast.Stmt {
	builtin := callsBuiltin(s.Exprs)
	r.exprs(s.Exprs)
	if builtin {
		s.Stmts = r.loopBody(s, s.Stmts)
		return s
	}
	iterator := []string{"(for iterator)", "(for state)", "(for control)"}
	v := func(i int) ast.Expr { return ident(s, iterator[i]) }
	call := at(s, &ast.FuncCallExpr{Func: v(0), Args: []ast.Expr{v(1), v(2)}})
	if slices.Contains(s.Names[1:], s.Names[0]) {
		s.Names[0] = "(for value)" // the later one hides it
	}
	control := ident(s, s.Names[0])
	head := []ast.Stmt{
		local(s, s.Names, call),
		at(s, &ast.IfStmt{
			Condition: at(s, &ast.RelationalOpExpr{Operator: "==", Lhs: control, Rhs: at(s, &ast.NilExpr{})}),
			Then:      []ast.Stmt{at(s, &ast.BreakStmt{})},
		}),
		at(s, &ast.AssignStmt{Lhs: []ast.Expr{v(2)}, Rhs: []ast.Expr{control}}),
	}
	body := append(head, r.loopBody(s, s.Stmts)...)
	loop := at(s, &ast.WhileStmt{Condition: at(s, &ast.TrueExpr{}), Stmts: body})
	return at(s, &ast.DoBlockStmt{Stmts: []ast.Stmt{local(s, iterator, s.Exprs...), loop}})
}

// callsBuiltin says whether a for loop's expressions are a call of pairs or ipairs.
func callsBuiltin(exprs []ast.Expr) bool {
	if len(exprs) != 1 {
		return false
	}
	call, ok := exprs[0].(*ast.FuncCallExpr)
	if !ok || call.AdjustRet {
		return false
	}
	f, ok := call.Func.(*ast.IdentExpr)
	return ok && (f.Value == "pairs" || f.Value == "ipairs")
}
