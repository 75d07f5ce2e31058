//! Call hierarchies: the definitions that use a definition, and those that it uses.

use ide::NavTarget;
use tower_lsp::lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{ranges, symbol_kind};

/// Handles `textDocument/prepareCallHierarchy`.
pub fn prepare(
    snapshot: &Snapshot,
    params: CallHierarchyPrepareParams,
) -> Answer<Option<Vec<CallHierarchyItem>>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let target = ide::prepare_call_hierarchy(&snapshot.db, document.at(place.position));
    Ok(target
        .and_then(|target| item(snapshot, target))
        .map(|item| vec![item]))
}

/// Handles `callHierarchy/incomingCalls`.
pub fn incoming(
    snapshot: &Snapshot,
    params: CallHierarchyIncomingCallsParams,
) -> Answer<Option<Vec<CallHierarchyIncomingCall>>> {
    let document = snapshot.document(&params.item.uri)?;
    let calls = ide::incoming_calls(&snapshot.db, document.at(params.item.selection_range.start));
    let call = |call: ide::Call| {
        let from_ranges = spans(&snapshot.document_of(call.target.file), &call);
        Some(CallHierarchyIncomingCall {
            from: item(snapshot, call.target)?,
            from_ranges,
        })
    };
    Ok(Some(calls.into_iter().filter_map(call).collect()))
}

/// Handles `callHierarchy/outgoingCalls`.
pub fn outgoing(
    snapshot: &Snapshot,
    params: CallHierarchyOutgoingCallsParams,
) -> Answer<Option<Vec<CallHierarchyOutgoingCall>>> {
    let document = snapshot.document(&params.item.uri)?;
    let calls = ide::outgoing_calls(&snapshot.db, document.at(params.item.selection_range.start));
    let call = |call: ide::Call| {
        let from_ranges = spans(&document, &call);
        Some(CallHierarchyOutgoingCall {
            to: item(snapshot, call.target)?,
            from_ranges,
        })
    };
    Ok(Some(calls.into_iter().filter_map(call).collect()))
}

fn spans(caller: &Document, call: &ide::Call) -> Vec<Range> {
    call.ranges.iter().map(|&span| caller.range(span)).collect()
}

fn item(snapshot: &Snapshot, target: NavTarget) -> Option<CallHierarchyItem> {
    let (range, selection_range) = ranges(snapshot, target.file, target.full, target.focus);
    Some(CallHierarchyItem {
        name: target.name,
        kind: symbol_kind(target.kind),
        tags: None,
        detail: Some(snapshot.db.path(target.file).file_name()),
        uri: snapshot.uri(target.file)?,
        range,
        selection_range,
        data: None,
    })
}
