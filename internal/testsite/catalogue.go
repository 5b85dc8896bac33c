package testsite

import (
	"fmt"
	"slices"
)

// category is a shelf of the shop.
type category struct{ Slug, Name, About string }

// Path is the first page of its list.
func (c category) Path() string { return "/shop/" + c.Slug + "/" }

// Count is how many products it has.
func (c category) Count() int { return len(productsOf(c)) }

func categories() []category {
	return []category{
		{"tea", "Tea", "Green, black, white and roasted, from growers we know by name."},
		{"cups", "Cups & pots", "Thrown, cast and glazed by hand; no two are quite alike."},
		{"books", "Books", "Short books to read while the kettle sings."},
		{"prints", "Prints", "Woodcuts and letterpress on cotton paper."},
		{"garden", "Garden", "Tools and seeds for small balconies."},
	}
}

// product is something to buy.
type product struct {
	Category, Slug, Name string
	Cents                int
	About                string
	Made                 string // where
	Grams                int
}

// spec is a row of a product's table.
type spec struct{ Name, Value string }

// Path is the product's page.
func (p product) Path() string { return "/shop/" + p.Category + "/" + p.Slug }

// Image is a PNG for prints, where the pixels count, and an SVG for the rest.
func (p product) Image() string {
	if p.Category == "prints" {
		return "/img/" + p.Slug + ".png"
	}
	return "/img/" + p.Slug + ".svg"
}

// Specs are the rows of the product's table.
func (p product) Specs() []spec {
	sum := hash(p.Slug)
	return []spec{
		{"Article", fmt.Sprintf("KP-%04d", sum%10000)},
		{"Made in", p.Made},
		{"Weight", fmt.Sprintf("%d g", p.Grams)},
		{"In stock", fmt.Sprint(sum % 40)},
		{"Sent within", fmt.Sprintf("%d days", 1+sum%4)},
	}
}

// Related are two others from the same shelf.
func (p product) Related() []product {
	shelf := productsOf(category{Slug: p.Category})
	i := slices.Index(shelf, p)
	return []product{shelf[(i+1)%len(shelf)], shelf[(i+2)%len(shelf)]}
}

// price is euros with two digits.
func price(cents int) string { return fmt.Sprintf("€%d.%02d", cents/100, cents%100) }

func productsOf(c category) []product {
	return slices.DeleteFunc(products(), func(p product) bool { return p.Category != c.Slug })
}

func products() []product {
	return []product{
		{"tea", "sencha", "Sencha, first flush", 1450, "Steamed green tea of the spring harvest; grass, sea and a little sweetness.", "Uji, Japan", 100},
		{"tea", "hojicha", "Hojicha", 980, "Green tea roasted over charcoal until it is brown and calm.", "Kyoto, Japan", 100},
		{"tea", "boseong-woojeon", "Boseong Woojeon 보성 우전", 3200, "Tea picked before the rains of April, hand-fired in an iron cauldron.", "Boseong, Korea", 60},
		{"tea", "longjing", "Longjing 龍井", 2600, "Flat leaves pressed against the pan; chestnuts and warm hay.", "Hangzhou, China", 80},
		{"tea", "darjeeling", "Darjeeling, second flush", 1650, "Black tea with the muscatel note that people argue about.", "Darjeeling, India", 125},
		{"tea", "white-peony", "White Peony", 1890, "Two leaves and a bud, withered and nothing more.", "Fuding, China", 50},
		{"tea", "kenya-gold", "Kenya Gold", 870, "A brisk tea for the first cup, happy with milk.", "Kericho, Kenya", 250},

		{"cups", "morning-cup", "Morning cup", 2400, "Holds 300 ml and fits both hands.", "Höhr-Grenzhausen, Germany", 310},
		{"cups", "celadon-cup", "Celadon cup", 3900, "Jade glaze over porcelain, with a fine crackle.", "Icheon, Korea", 180},
		{"cups", "raku-bowl", "Raku bowl", 7800, "Pulled red from the kiln and cooled in sawdust.", "Kyoto, Japan", 420},
		{"cups", "glass-pot", "Glass pot", 3300, "Borosilicate, half a litre, so that you see the colour.", "Jena, Germany", 350},
		{"cups", "iron-kettle", "Iron kettle", 14500, "Cast iron that softens hard water, they say.", "Morioka, Japan", 2100},
		{"cups", "travel-cup", "Travel cup", 2750, "Steel, double walled, with a lid that does not drip.", "Solingen, Germany", 290},

		{"books", "ten-minutes", "Ten Minutes", 1200, "Forty stories, each as long as an infusion of oolong.", "Leipzig, Germany", 220},
		{"books", "the-slow-kettle", "The Slow Kettle", 1850, "A cook's memoir of a mountain inn.", "Bristol, England", 340},
		{"books", "paper-and-salt", "Paper & Salt", 1600, "Letters from a coast of paper mills and salt pans.", "Porto, Portugal", 260},
		{"books", "field-guide", "A Field Guide to Steam", 2100, "Clouds, breath, kettles: sixty plates with notes.", "Basel, Switzerland", 480},
		{"books", "night-gardener", "The Night Gardener", 1400, "A novel about a park that opens at dusk.", "Lyon, France", 300},
		{"books", "alphabet", "An Alphabet of Leaves", 2300, "From ash to zelkova, with pressed examples in print.", "Ghent, Belgium", 520},

		{"prints", "harbour", "Harbour at six", 4500, "Woodcut in three colours, edition of eighty.", "Gdańsk, Poland", 90},
		{"prints", "two-herons", "Two herons", 5200, "Letterpress from a block cut in pear wood.", "Ghent, Belgium", 90},
		{"prints", "rain-map", "Rain map", 3800, "Lines of equal rain over one small valley.", "Bergen, Norway", 80},
		{"prints", "letters", "Letters of no word", 2900, "An alphabet that nobody has learned yet.", "Łódź, Poland", 80},
		{"prints", "winter-field", "Winter field", 4100, "Blind embossing; it shows when the light is low.", "Tartu, Estonia", 95},
		{"prints", "kitchen", "The kitchen", 3600, "Linocut of a cup, a table and a long afternoon.", "Lisbon, Portugal", 85},

		{"garden", "hand-fork", "Hand fork", 1900, "Ash and forged steel, made to be sharpened.", "Sheffield, England", 380},
		{"garden", "seed-box", "Seed box", 2200, "Twelve drawers with brass labels.", "Porto, Portugal", 900},
		{"garden", "mint-seeds", "Mint seeds", 350, "Three kinds of mint. Give them a pot of their own.", "Erfurt, Germany", 5},
		{"garden", "shiso-seeds", "Shiso seeds", 420, "Red shiso for rice, plums and colour.", "Wakayama, Japan", 5},
		{"garden", "watering-can", "Watering can", 4800, "Copper, with a long neck and a fine rose.", "Lyon, France", 1100},
		{"garden", "twine", "Jute twine", 600, "Two hundred metres in a tin that cuts it.", "Dundee, Scotland", 410},
	}
}
