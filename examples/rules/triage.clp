; Which team looks at an incident, and whether anybody is woken up for it.

(deftemplate incident
  (slot id (type SYMBOL))
  (slot severity (type INTEGER) (range 1 5))
  (slot service (type SYMBOL))
  (slot state (type SYMBOL) (allowed-symbols new routed closed) (default new)))

(deftemplate route
  (slot incident)
  (slot team)
  (slot urgent (allowed-symbols yes no) (default no)))

(deffacts teams
  (owns payments checkout)
  (owns payments refunds)
  (owns platform search)
  (on-call platform))

(defrule close-duplicate
  "Two incidents of one service: the later one waits for the first."
  (declare (salience 10))
  (incident (id ?first) (service ?service) (state ~closed))
  ?later <- (incident (id ?id&~?first) (service ?service) (state new))
  (test (> (str-compare ?id ?first) 0))
  =>
  (printout t ?id " is " ?first " again" crlf)
  (modify ?later (state closed)))

(defrule route-to-owner
  ?incident <- (incident (id ?id) (service ?service) (state new))
  (owns ?team ?service)
  =>
  (assert (route (incident ?id) (team ?team)))
  (modify ?incident (state routed)))

(defrule route-to-on-call
  "Nobody owns the service."
  ?incident <- (incident (id ?id) (service ?service) (state new))
  (not (owns ? ?service))
  (on-call ?team)
  =>
  (assert (route (incident ?id) (team ?team)))
  (modify ?incident (state routed)))

(defrule page
  (incident (id ?id) (severity ?severity&:(>= ?severity 4)))
  ?route <- (route (incident ?id) (team ?team) (urgent no))
  =>
  (printout t "paging " ?team " for " ?id crlf)
  (modify ?route (urgent yes)))
