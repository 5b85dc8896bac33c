package testsite

import (
	"slices"
)

// article is a text of the journal; its body is pages/blog/SLUG.html.
type article struct {
	Slug, Title, Lang, Date string
	Tags                    []string
}

// Path is the article's page.
func (a article) Path() string { return "/journal/" + a.Slug }

// TagLinks are the pages of its tags.
func (a article) TagLinks() []link {
	var links []link
	for _, tag := range a.Tags {
		links = append(links, link{tagPath(tag), tag})
	}
	return links
}

func tagPath(tag string) string { return "/journal/tag/" + tag }

// articles are the journal, newest first.
func articles() []article {
	return []article{
		{"water", "Water is most of it", "en", "2025-03-30", []string{"brewing", "water"}},
		{"boseong", "보성 차밭의 아침", "ko", "2025-03-22", []string{"travel", "tea"}},
		{"glaze", "What a glaze remembers", "en", "2025-03-14", []string{"craft"}},
		{"gongfu", "功夫茶：慢下来的艺术", "zh", "2025-03-05", []string{"brewing", "tea"}},
		{"kettle-song", "Why kettles sing", "en", "2025-02-26", []string{"craft", "water"}},
		{"letterpress", "An afternoon at the press", "en", "2025-02-17", []string{"craft", "paper"}},
		{"hanji", "한지, 천 년을 가는 종이", "ko", "2025-02-08", []string{"paper", "history"}},
		{"teehaus", "Ein Teehaus im Moor", "de", "2025-01-30", []string{"travel"}},
		{"paper-road", "纸的旅程", "zh", "2025-01-21", []string{"paper", "history"}},
		{"mint", "Keep mint in a pot", "en", "2025-01-12", []string{"garden"}},
		{"numbers", "Temperatures and times, in a table", "en", "2025-01-03", []string{"brewing"}},
		{"teabowl", "찻사발을 고르는 법", "ko", "2024-12-25", []string{"craft", "tea"}},
		{"first-frost", "First frost on the balcony", "en", "2024-12-16", []string{"garden"}},
		{"dragon-well", "龙井村的春天", "zh", "2024-12-07", []string{"travel", "tea"}},
		{"clipper", "The race of the clippers", "en", "2024-11-28", []string{"history", "tea"}},
	}
}

// blogEntries are the articles, their list and a list for each tag.
func blogEntries() []entry {
	var all []entry
	texts := articles()
	lists, paths := paginate("/journal/", "Notes on tea, paper and patience, in four languages.", texts)
	for i, l := range lists {
		all = append(all, newEntry(paths[i], numbered("Journal", i), "list", "journal", l))
	}
	for i, a := range texts {
		view := struct {
			article
			Prev, Next *article // in time
		}{article: a}
		if i > 0 {
			view.Next = &texts[i-1]
		}
		if i+1 < len(texts) {
			view.Prev = &texts[i+1]
		}
		e := newEntry(a.Path(), a.Title, "article", "article", view)
		e.lang, e.body = a.Lang, "pages/blog/"+a.Slug+".html"
		all = append(all, e)
	}
	for _, tag := range tags() {
		tagged := slices.DeleteFunc(articles(), func(a article) bool { return !slices.Contains(a.Tags, tag) })
		all = append(all, newEntry(tagPath(tag), "Tagged "+tag, "list", "journal", list[article]{Items: tagged}))
	}
	return all
}

func tags() []string {
	var all []string
	for _, a := range articles() {
		all = append(all, a.Tags...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
