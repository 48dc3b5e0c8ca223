/* SPDX-License-Identifier: Apache-2.0 */
/* The face whose tools are the services' own methods. */
#include "mcp/mcp.h"

const struct mcp_face mcp_native = {
    .tools_list = mcp_tools_list,
    .tools_call = mcp_tools_call,
    .resources_list = mcp_resources_list,
    .templates_list = mcp_templates_list,
    .resources_read = mcp_resources_read,
    .prompts_list = mcp_prompts_list,
    .prompts_get = mcp_prompts_get,
    .complete = mcp_complete,
    .subscribe = mcp_subscribe,
    .unsubscribe = mcp_unsubscribe,
    .set_level = mcp_set_level,
};
