// Frame of all HTML pages, self-contained with inlined style and scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Files of assets/ that a page includes besides page.css and page.js.
struct PageAssets {
    std::vector<std::string_view> styles = {};
    std::vector<std::string_view> scripts = {};
};

/// Complete page. All of it is readable without JavaScript; with JavaScript, tables sort and
/// filter, charts show and save their values, sections fold, and colours can be switched
/// (assets/page.js).
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body,
                                    const PageAssets& assets = {});

/// Parts of a page before and after its body, for bodies that are written piecewise.
[[nodiscard]] std::string page_head(std::string_view title, const PageAssets& assets = {});
[[nodiscard]] std::string page_end(const PageAssets& assets = {});

}  // namespace tessera
