package testsite

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
)

const (
	productsPath = "/api/products.json"
	pricesPath   = "/files/prices.csv"
)

// addData serves what is no document: the products as JSON, the price list as
// a download, and the rows that the app fetches.
func addData(mux *http.ServeMux) {
	mux.HandleFunc("GET "+productsPath, func(w http.ResponseWriter, _ *http.Request) {
		type item struct {
			Slug, Name, Category, URL string
			Cents                     int
		}
		var items []item
		for _, p := range products() {
			items = append(items, item{p.Slug, p.Name, p.Category, p.Path(), p.Cents})
		}
		answerJSON(w, items)
	})
	mux.HandleFunc("GET "+pricesPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="prices.csv"`)
		rows := csv.NewWriter(w)
		_ = rows.Write([]string{"article", "price"})
		for _, p := range products() {
			_ = rows.Write([]string{p.Name, price(p.Cents)})
		}
		rows.Flush()
	})
	mux.HandleFunc("GET /api/app/{view}", func(w http.ResponseWriter, r *http.Request) {
		rows := appRows(r.PathValue("view"))
		if rows == nil {
			http.NotFound(w, r)
			return
		}
		answerJSON(w, rows)
	})
}

// appRows are what a view of the app shows; nil if there is no such view.
func appRows(view string) [][]string {
	switch view {
	case "overview":
		return [][]string{{"Orders today", "12"}, {"Parcels sent", "9"}, {"Kettles on", "1"}}
	case "orders":
		var rows [][]string
		for i, p := range products()[:8] {
			rows = append(rows, []string{fmt.Sprintf("No. %d", 1041+i), p.Name, price(p.Cents)})
		}
		return rows
	case "stock":
		var rows [][]string
		for _, c := range categories() {
			rows = append(rows, []string{c.Name, fmt.Sprintf("%d articles", c.Count())})
		}
		return rows
	case "team":
		return [][]string{{"Mina", "tea"}, {"Tomasz", "prints"}, {"Yu", "books"}, {"Inês", "garden"}}
	}
	return nil
}

func answerJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, "application/json", body)
}
