// Do payloads come back as new, and are those that do not counted?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_models/tlm/payload_pool.h"

using namespace tessera;

namespace {

TEST(PayloadPool, ResetsWhatComesBackAndCountsWhatDoesNot) {
    PayloadPool pool;
    unsigned char data[4] = {};
    unsigned char enables[1] = {0xFF};
    PooledPayload& first = pool.acquire(tlm::TLM_WRITE_COMMAND, 64, data, 4);
    EXPECT_EQ(first.get_extension<AccessInfo>(), &first.info());
    first.info().served_by = ServedBy::kDram;
    first.tag = 7;
    first.set_byte_enable_ptr(enables);
    first.set_byte_enable_length(1);
    first.set_dmi_allowed(true);
    first.set_response_status(tlm::TLM_OK_RESPONSE);
    first.acquire();
    first.release();
    std::vector<std::string> found;
    pool.check("payload pool", found);
    EXPECT_EQ(found.size(), 1U) << "one reference is left";
    first.release();
    EXPECT_EQ(pool.live(), 0U);

    PooledPayload& again = pool.acquire(tlm::TLM_READ_COMMAND, 0, data, 2);
    EXPECT_EQ(&again, &first) << "memory is kept";
    EXPECT_EQ(again.info().served_by, ServedBy::kNone);
    EXPECT_EQ(again.tag, 0U);
    EXPECT_EQ(again.get_byte_enable_ptr(), nullptr);
    EXPECT_FALSE(again.is_dmi_allowed());
    EXPECT_EQ(again.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(again.get_ref_count(), 1);
    pool.acquire(tlm::TLM_READ_COMMAND, 0, data, 2);
    EXPECT_EQ(pool.capacity(), 2U);
}

}  // namespace
