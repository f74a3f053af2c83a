// SystemC's library calls this function from its main(), which Google Benchmark's main() replaces.
extern "C" int sc_main(int, char**) {
    return 0;
}
