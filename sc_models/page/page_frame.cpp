#include "sc_models/page/page_frame.h"

#include "sc_models/page/markup.h"
#include "sc_models/page/page_assets.h"

namespace tessera {

std::string page_head(std::string_view title, const PageAssets& assets) {
    std::string head =
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n<meta name='viewport' "
        "content='width=device-width'>\n<title>";
    head += markup_escaped(title);
    head += "</title>\n<style>\n";
    head += page_asset("page.css");
    for (const std::string_view style : assets.styles) head += page_asset(style);
    head += "</style></head><body>\n";
    return head;
}

std::string page_end(const PageAssets& assets) {
    std::string end;
    const auto add = [&end](std::string_view script) {
        end += "<script>\n";
        end += page_asset(script);
        end += "</script>\n";
    };
    add("page.js");  // first, because other scripts use it
    for (const std::string_view script : assets.scripts) add(script);
    return end + "</body></html>\n";
}

std::string html_page(std::string_view title, std::string_view body, const PageAssets& assets) {
    std::string page = page_head(title, assets);
    page += body;
    return page + page_end(assets);
}

}  // namespace tessera
