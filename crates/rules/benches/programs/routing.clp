; Where a run goes next: twenty rules over the node a run is at and the state beside it.
; A host changes three facts, runs, and takes the actions out.

(deftemplate node-id (slot id (type SYMBOL)))
(deftemplate severity (slot value (type INTEGER)))
(deftemplate channel (slot value (type SYMBOL)))
(deftemplate tier (slot value (type SYMBOL)))
(deftemplate region (slot value (type SYMBOL)))
(deftemplate note (slot key (type SYMBOL)) (slot value (type INTEGER)))
(deftemplate action (slot kind (type SYMBOL)) (slot target (type SYMBOL)) (slot rule (type SYMBOL)))

(defrule n0-urgent
  (node-id (id n0))
  (severity (value ?s&:(>= ?s 4)))
  =>
  (assert (action (kind goto) (target n1) (rule n0-urgent))))

(defrule n0-mail
  (node-id (id n0))
  (severity (value ?s&:(< ?s 4)))
  (channel (value mail))
  =>
  (assert (action (kind goto) (target n2) (rule n0-mail))))

(defrule n0-live
  (node-id (id n0))
  (severity (value ?s&:(< ?s 4)))
  (channel (value ~mail))
  (not (region (value closed)))
  =>
  (assert (action (kind goto) (target n3) (rule n0-live))))

(defrule n0-gold
  (declare (salience 10))
  (node-id (id n0))
  (tier (value gold))
  (severity (value ?s&:(>= ?s 5)))
  (note (key limit) (value ?most&:(< ?s ?most)))
  =>
  (assert (action (kind tell) (target n4) (rule n0-gold))))

(defrule n1-urgent
  (node-id (id n1))
  (severity (value ?s&:(>= ?s 4)))
  =>
  (assert (action (kind goto) (target n2) (rule n1-urgent))))

(defrule n1-mail
  (node-id (id n1))
  (severity (value ?s&:(< ?s 4)))
  (channel (value mail))
  =>
  (assert (action (kind goto) (target n3) (rule n1-mail))))

(defrule n1-live
  (node-id (id n1))
  (severity (value ?s&:(< ?s 4)))
  (channel (value ~mail))
  (not (region (value closed)))
  =>
  (assert (action (kind goto) (target n4) (rule n1-live))))

(defrule n1-gold
  (declare (salience 10))
  (node-id (id n1))
  (tier (value gold))
  (severity (value ?s&:(>= ?s 5)))
  (note (key limit) (value ?most&:(< ?s ?most)))
  =>
  (assert (action (kind tell) (target n0) (rule n1-gold))))

(defrule n2-urgent
  (node-id (id n2))
  (severity (value ?s&:(>= ?s 4)))
  =>
  (assert (action (kind goto) (target n3) (rule n2-urgent))))

(defrule n2-mail
  (node-id (id n2))
  (severity (value ?s&:(< ?s 4)))
  (channel (value mail))
  =>
  (assert (action (kind goto) (target n4) (rule n2-mail))))

(defrule n2-live
  (node-id (id n2))
  (severity (value ?s&:(< ?s 4)))
  (channel (value ~mail))
  (not (region (value closed)))
  =>
  (assert (action (kind goto) (target n0) (rule n2-live))))

(defrule n2-gold
  (declare (salience 10))
  (node-id (id n2))
  (tier (value gold))
  (severity (value ?s&:(>= ?s 5)))
  (note (key limit) (value ?most&:(< ?s ?most)))
  =>
  (assert (action (kind tell) (target n1) (rule n2-gold))))

(defrule n3-urgent
  (node-id (id n3))
  (severity (value ?s&:(>= ?s 4)))
  =>
  (assert (action (kind goto) (target n4) (rule n3-urgent))))

(defrule n3-mail
  (node-id (id n3))
  (severity (value ?s&:(< ?s 4)))
  (channel (value mail))
  =>
  (assert (action (kind goto) (target n0) (rule n3-mail))))

(defrule n3-live
  (node-id (id n3))
  (severity (value ?s&:(< ?s 4)))
  (channel (value ~mail))
  (not (region (value closed)))
  =>
  (assert (action (kind goto) (target n1) (rule n3-live))))

(defrule n3-gold
  (declare (salience 10))
  (node-id (id n3))
  (tier (value gold))
  (severity (value ?s&:(>= ?s 5)))
  (note (key limit) (value ?most&:(< ?s ?most)))
  =>
  (assert (action (kind tell) (target n2) (rule n3-gold))))

(defrule n4-urgent
  (node-id (id n4))
  (severity (value ?s&:(>= ?s 4)))
  =>
  (assert (action (kind goto) (target n0) (rule n4-urgent))))

(defrule n4-mail
  (node-id (id n4))
  (severity (value ?s&:(< ?s 4)))
  (channel (value mail))
  =>
  (assert (action (kind goto) (target n1) (rule n4-mail))))

(defrule n4-live
  (node-id (id n4))
  (severity (value ?s&:(< ?s 4)))
  (channel (value ~mail))
  (not (region (value closed)))
  =>
  (assert (action (kind goto) (target n2) (rule n4-live))))

(defrule n4-gold
  (declare (salience 10))
  (node-id (id n4))
  (tier (value gold))
  (severity (value ?s&:(>= ?s 5)))
  (note (key limit) (value ?most&:(< ?s ?most)))
  =>
  (assert (action (kind tell) (target n3) (rule n4-gold))))
