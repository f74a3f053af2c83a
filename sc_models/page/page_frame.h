// The frame of all HTML pages: style and script inlined, nothing loaded from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Files of assets/ that a page has beside page.css and page.js.
struct PageAssets {
    std::vector<std::string_view> styles = {};
    std::vector<std::string_view> scripts = {};
};

/// A page from its doctype to its end. All of it can be read without JavaScript; with it tables
/// sort and filter, charts say and save their values, sections fold, and colours can be switched
/// (assets/page.js).
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body,
                                    const PageAssets& assets = {});

/// The two parts of a page around its body, for bodies that are written piece by piece.
[[nodiscard]] std::string page_head(std::string_view title, const PageAssets& assets = {});
[[nodiscard]] std::string page_end(const PageAssets& assets = {});

}  // namespace tessera
