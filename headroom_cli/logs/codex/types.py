"""The types of a Codex rollout that are known; anything else is counted as unknown, and read as far as it goes."""

from __future__ import annotations

from headroom_cli.wire import openai_responses

# Lines and events that neither hold model context nor say anything that the reader needs.
INERT_LINES = frozenset(
    {
        "world_state",
        "inter_agent_communication_metadata",
        "retained_context",
        "security_risk_score",
        "realtime_item",
    }
)

INERT_EVENTS = frozenset(
    {
        "agent_message",
        "agent_message_delta",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "apply_patch_approval_request",
        "background_event",
        "context_compacted",
        "deprecation_notice",
        "dynamic_tool_call_request",
        "dynamic_tool_call_response",
        "elicitation_request",
        "entered_review_mode",
        "error",
        "exec_approval_request",
        "exec_command_begin",
        "exec_command_end",
        "exec_command_output_delta",
        "exited_review_mode",
        "guardian_assessment",
        "image_generation_begin",
        "image_generation_end",
        "item_completed",
        "item_started",
        "mcp_startup_complete",
        "mcp_startup_update",
        "mcp_tool_call_begin",
        "mcp_tool_call_end",
        "model_reroute",
        "patch_apply_begin",
        "patch_apply_end",
        "plan_delta",
        "plan_update",
        "raw_response_item",
        "request_user_input",
        "session_configured",
        "shutdown_complete",
        "skills_update_available",
        "stream_error",
        "sub_agent_activity",
        "terminal_interaction",
        "thread_goal_updated",
        "thread_name_updated",
        "turn_diff",
        "undo_completed",
        "undo_started",
        "view_image_tool_call",
        "warning",
        "web_search_begin",
        "web_search_end",
    }
)

KNOWN_ITEMS = (
    openai_responses.OUTPUT_TYPES
    | openai_responses.CLIENT_OUTPUT_TYPES
    | {
        "message",
        "tool_search_output",
        "shell_call_output",
        "agent_message",
        "ghost_snapshot",
        "compaction",
        "compaction_summary",
        "context_compaction",
        "compaction_trigger",
        "additional_tools",
        "mcp_list_tools",
        "program_output",
    }
)
