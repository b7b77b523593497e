// Package luals reads annotated Lua, in as much of LuaLS's language as moonio's
// own files use, and makes the DSL's reference of it.
//
// A file begins with "---@meta NAME" and a description. A block of lines that begin
// with --- belongs to the statement below it, a function or a table of methods, or
// stands alone and describes a type. Pairs of --#region TITLE and --#endregion make
// sections. Everything else, such as a function's body, is passed over.
package luals

// File is an annotated Lua file.
type File struct {
	Name    string // as after ---@meta
	Doc     string
	Regions []*Region
}

// Region is a section of a file; what stands outside any is in one without a title.
type Region struct {
	Title string
	Items []Item
}

// Item is an *Alias, a *Class or a *Function.
type Item interface{ item() }

// Alias is another name of a type.
type Alias struct {
	Name, Type, Doc string
}

// Class is a type with fields: a table of options, or a value with methods.
type Class struct {
	Name   string
	Local  string // the variable that holds its methods, if there is one
	Doc    string
	Fields []Field
}

// Field is a class's field. A name in brackets is a type of keys.
type Field struct {
	Name     string
	Optional bool
	Type     string
	Doc      string
}

// Function is a function or a method.
type Function struct {
	Of      string // the variable before the dot or colon; empty for a global function
	Method  bool   // called with a colon
	Name    string
	Args    []string // as in the code
	Params  []Field
	Returns []Return
	Doc     string
}

// Return is one value that a function returns.
type Return struct {
	Type, Name, Doc string
}

func (*Alias) item()    {}
func (*Class) item()    {}
func (*Function) item() {}

// Class is the class of that name, or nil.
func (f *File) Class(name string) *Class {
	for _, c := range all[*Class](f) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Functions are the file's functions and methods, in its order.
func (f *File) Functions() []*Function { return all[*Function](f) }

// Methods are the names of a class's methods, in the file's order.
func (f *File) Methods(class string) []string {
	c := f.Class(class)
	if c == nil || c.Local == "" {
		return nil
	}
	var names []string
	for _, fn := range f.Functions() {
		if fn.Of == c.Local {
			names = append(names, fn.Name)
		}
	}
	return names
}

func all[T Item](f *File) []T {
	var list []T
	for _, r := range f.Regions {
		for _, i := range r.Items {
			if v, ok := i.(T); ok {
				list = append(list, v)
			}
		}
	}
	return list
}

// Field is the field of that name, or nil.
func (c *Class) Field(name string) *Field {
	for i := range c.Fields {
		if c.Fields[i].Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}
