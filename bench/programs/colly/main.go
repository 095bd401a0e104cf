// Colly crawls the hosts of a file of seeds. Arguments: FILE, connections a host, in all.
package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/gocolly/colly/v2"
)

func main() {
	seeds, perHost, total := arguments()
	c := colly.NewCollector(colly.Async(true))
	c.IgnoreRobotsTxt = false
	// Go keeps two idle connections a host unless told otherwise.
	c.WithTransport(&http.Transport{MaxIdleConns: total, MaxIdleConnsPerHost: perHost})
	// One rule counts for all hosts together.
	check(c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: min(perHost*len(seeds), total)}))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		link := e.Request.AbsoluteURL(strings.TrimSpace(e.Attr("href")))
		to, err := url.Parse(link)
		if err == nil && to.Host == e.Request.URL.Host {
			// Known and forbidden links come back as errors, which is as it should be.
			_ = e.Request.Visit(link)
		}
	})
	for _, seed := range seeds {
		check(c.Visit(seed))
	}
	c.Wait()
}

func arguments() (seeds []string, perHost, total int) {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	perHost, err = strconv.Atoi(os.Args[2])
	check(err)
	total, err = strconv.Atoi(os.Args[3])
	check(err)
	return strings.Fields(string(text)), perHost, total
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
