// Program that checks DRAM traces: jedec_check FILE... Prints the comparisons and violations of
// each rule; exits with 0 without a violation, with 1 with one or without a command, and with 2 if
// a file is no trace.
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tests/support/jedec_checker.h"

namespace {

using tessera::test::JedecChecker;
using tessera::test::JedecTraceReader;

bool check_file(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot be read");
    JedecTraceReader reader(in);
    JedecChecker checker(reader.parameters());
    while (const auto command = reader.next()) checker.check(*command);
    std::cout << file << ": " << checker.commands() << " commands\n";
    if (checker.commands() == 0) std::cout << "  checked nothing\n";
    for (const auto& [rule, count] : checker.checks()) {
        const auto found = checker.violations().find(rule);
        const std::uint64_t broken = found == checker.violations().end() ? 0 : found->second;
        std::cout << "  " << rule << ": " << count << " comparisons, " << broken << " violations\n";
    }
    for (const auto& violation : checker.first()) std::cout << "  " << violation.text() << "\n";
    return checker.passed();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "jedec_check: expected DRAM traces (tessera run ... --dram-trace FILE)\n";
        return 2;
    }
    bool passed = true;
    for (int i = 1; i < count; ++i) {
        try {
            passed = check_file(arguments[i]) && passed;
        } catch (const std::runtime_error& error) {
            std::cerr << arguments[i] << ": " << error.what() << "\n";
            return 2;
        }
    }
    return passed ? 0 : 1;
}
