package mcpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// schema is the plain part of JSON Schema that every client understands: no
// references, no unions, no type lists. It marshals in the order of its
// fields.
type schema struct {
	Type                 string     `json:"type,omitempty"` // empty: any value
	Description          string     `json:"description,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	Default              any        `json:"default,omitempty"`
	Minimum              *int       `json:"minimum,omitempty"`
	Maximum              *int       `json:"maximum,omitempty"`
	MinLength            int        `json:"minLength,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	Properties           properties `json:"properties,omitzero"`
	Required             []string   `json:"required,omitempty"`
	AdditionalProperties *bool      `json:"additionalProperties,omitempty"`
}

// property is a named member of an object and the struct field behind it.
type property struct {
	name     string
	index    []int
	required bool
	schema   schema
}

// properties keep the order of the struct: what matters most comes first.
type properties []property

// MarshalJSON is the object of the schemas by name.
func (ps properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := compactJSON(p.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", p.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (ps properties) names() []string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.name
	}
	return names
}

func (ps properties) find(name string) (property, bool) {
	for _, p := range ps {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

// inputSchema describes a tool's arguments: closed, so that a client can tell
// a misspelt argument by itself.
func inputSchema(t reflect.Type) schema {
	s := schemaOf(t)
	if s.Properties == nil {
		s.Properties = properties{}
	}
	for _, p := range s.Properties {
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	closed := false
	s.AdditionalProperties = &closed
	return s
}

// outputSchema describes a tool's result. It is open and requires nothing:
// some clients hold structuredContent against it also when isError is set, and
// would throw away the error object if only a result could satisfy it. A test
// sees to it that no result and the error object disagree on a type.
func outputSchema(t reflect.Type) schema { return schemaOf(t) }

// schemaOf panics on a type or tag it does not know: a mistake in a
// declaration, which the first test that makes a Server finds.
func schemaOf(t reflect.Type) schema {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return schema{}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	}
	switch t.Kind() {
	case reflect.String:
		return schema{Type: "string"}
	case reflect.Bool:
		return schema{Type: "boolean"}
	case reflect.Int:
		return schema{Type: "integer"}
	case reflect.Float64:
		return schema{Type: "number"}
	case reflect.Slice:
		items := schemaOf(t.Elem())
		return schema{Type: "array", Items: &items}
	case reflect.Struct:
		return schema{Type: "object", Properties: propertiesOf(t)}
	default:
		panic(fmt.Sprintf("mcpadapter: no schema for a %v", t))
	}
}

func propertiesOf(t reflect.Type) properties {
	var ps properties
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("mcpadapter: %v.%s has no json name", t, f.Name))
		}
		p := property{name: name, index: f.Index, required: options == "", schema: schemaOf(f.Type)}
		p.schema.applyTag(f.Tag.Get("jsonschema"))
		ps = append(ps, p)
	}
	return ps
}

// applyTag reads a jsonschema tag: a description, in which commas are allowed,
// and key=value parts for the keys below. The enum of an array is that of its
// items.
func (s *schema) applyTag(tag string) {
	var description []string
	for part := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "enum":
			target := s
			if s.Items != nil {
				target = s.Items
			}
			target.Enum = append(target.Enum, value)
		case "default":
			s.Default = s.parseDefault(value)
		case "minimum":
			s.Minimum = intOf(value)
		case "maximum":
			s.Maximum = intOf(value)
		case "minLength":
			s.MinLength = *intOf(value)
		default:
			description = append(description, part)
		}
	}
	s.Description = strings.Join(description, ",")
}

func (s *schema) parseDefault(value string) any {
	switch s.Type {
	case "integer":
		return *intOf(value)
	case "boolean":
		return value == "true"
	default:
		return value
	}
}

func intOf(value string) *int {
	n, err := strconv.Atoi(value)
	if err != nil {
		panic("mcpadapter: jsonschema tag: " + err.Error())
	}
	return &n
}
