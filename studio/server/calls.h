// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <memory>
#include <string>
#include <string_view>

#include "studio/server/events.h"
#include "studio/server/jobs.h"
#include "studio/server/poses.h"
#include "studio/server/request_check.h"
#include "studio/server/server.h"
#include "studio/server/shelf.h"

/// What the calls of the page do. Private to the server: uses httplib.
namespace limber::studio {

/// Everything that outlives a request.
struct Workshop {
  ServerSettings settings;
  Gate gate;
  Events& events;
  Shelf& shelf;
  Jobs& jobs;
  Poses& poses;
};

/// Answers a request that has passed the gate. GET, HEAD and DELETE.
void answer(Workshop& shop, const httplib::Request& request, httplib::Response& response);

/// The same for a POST, whose body is still to be read.
void answer_post(Workshop& shop, const httplib::Request& request, httplib::Response& response,
                 const httplib::ContentReader& read);

void send(httplib::Response& response, int status, const Json& document);
void send(httplib::Response& response, const Refusal& refusal);

/// `{"error": {"what", "where", "kind"}}`, with the status that fits the kind.
void send(httplib::Response& response, const Error& error);

}  // namespace limber::studio
